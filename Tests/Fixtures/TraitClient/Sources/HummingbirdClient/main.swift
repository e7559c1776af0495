import Hopoate
import HopoateHummingbird

struct AppContext: DependencyRequestContext {}

let middleware = RequestScope<AppContext>(.shared) { _, _, _ in }
