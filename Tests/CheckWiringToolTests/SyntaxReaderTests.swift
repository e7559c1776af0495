import Testing
@testable import CheckWiringTool
