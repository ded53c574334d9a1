// A code object with variables and no kernel. VARIABLES lists them: VARIABLE(name, bytes) or CONSTANT(name, bytes).

#define GLOBAL __attribute__((address_space(1), visibility("protected"), used, aligned(4)))
#define VARIABLE(name, bytes) GLOBAL char name[bytes];
#define CONSTANT(name, bytes) GLOBAL const char name[bytes] = {0};

VARIABLES
