#include "CVersion.h"

// Scripts/install-program.sh writes the commit into this section of the installed program. No build depends on it, so a
// new commit rebuilds nothing.
#ifdef __ELF__
__attribute__((section(".flick_commit")))
#endif
static const char commit[64] = "";

const char *flick_commit(void) { return commit; }
