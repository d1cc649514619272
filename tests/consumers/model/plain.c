/* plain: a source of C in a program with a model. */
int plain(void) { return 0; }
