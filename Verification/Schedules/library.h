#ifndef LIBRARY_H
#define LIBRARY_H

/// Resets the library to its state at the start of the process. Remaining garbage is a finding, and so is a record that a thread
/// has not returned.
void library_forget(void);

#endif
