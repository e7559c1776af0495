/// The operations. The raw values are the names on the command line, in the JSON file and in instructions.json.
enum Operation: String, CaseIterable, Sendable {
    case floor
    case resolve
    case sharedResolve = "shared.resolve"
    case withService
    case withStructure
    case sharedWithService = "shared.withService"
    case ownResolve = "own.resolve"
    case ownWithService = "own.withService"
    case childResolve = "child.resolve"
    case wrapper
    case resolveAll
    case dictionary
    case independent
    case list
    case lockedList

    case singleton
    case singletonWithService = "singleton.withService"
    case asynchronousSingleton = "singleton.async"
    case named
    case namedLiteral = "named.literal"
    case scoped
    case keyed
    case keyedApart = "keyed.apart"
    case keyedLimited = "keyed.limited"
    case keyedByText = "keyed.text"
    case dictionaryKeyed = "dictionary.keyed"
    case decorated
    case recorded

    case initializer
    case transient
    case factory
    case argument
    case handwritten
    case constructor

    case register
    case cycle
    case child
    case childWithValue = "child.value"
    case childWithScoped = "child.scoped"
    case childWithFiveScoped = "child.scoped.5"
    case childWithTwentyScoped = "child.scoped.20"
    case dictionaryScope = "dictionary.scoped"
    case scope
    case request
    case requestByHand = "request.hand"
    case requestByDictionary = "request.dictionary"
    case requestSuspending = "request.async"
    case requestSuspendingWithScoped = "request.async.scoped"
    case first
    case firstByHand = "first.hand"
    case firstByDictionary = "first.dictionary"
    case start
    case startByHand = "start.hand"
    case startByDictionary = "start.dictionary"

    case resolve10 = "resolve.10"
    case resolve100 = "resolve.100"
    case resolve1000 = "resolve.1000"
    case resolve10000 = "resolve.10000"
    case resolve100000 = "resolve.100000"
    case rotate10 = "rotate.10"
    case rotate100 = "rotate.100"
    case rotate1000 = "rotate.1000"
    case rotate10000 = "rotate.10000"
    case rotate100000 = "rotate.100000"
    case dictionary10 = "dictionary.10"
    case dictionary100 = "dictionary.100"
    case dictionary1000 = "dictionary.1000"
    case dictionary10000 = "dictionary.10000"
    case dictionary100000 = "dictionary.100000"

    case quiet
    case churned

    case afterOverride = "override.over"
    case sharedAfterOverride = "override.over.shared"
    case overridden = "override"
    case sharedOverridden = "override.shared"
}
