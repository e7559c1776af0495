// The testing helpers of Hopoate 1 come from a package of this name, in a module of the same name. This module re-exports the testing
// helpers, so that the import line of those tests compiles unchanged.

@_exported public import HopoateTestingHelpers
