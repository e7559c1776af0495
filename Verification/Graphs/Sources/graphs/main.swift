// Exit status: 0 no finding, 1 a finding, 2 the arguments are wrong.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

exit(Command.run(Array(CommandLine.arguments.dropFirst())))
