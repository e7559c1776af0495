import Hopoate
import HopoateGRPC

let interceptor = RequestScopeInterceptor(.shared) { _, _, _ in }
