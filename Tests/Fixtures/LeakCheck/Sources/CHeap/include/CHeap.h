#ifndef CHEAP_H
#define CHEAP_H

/// Bytes that the process has allocated and not freed; negative where the system does not tell.
long long heap_allocated_bytes(void);

#endif
