/* beside: a source of C in a program with a model. */
int beside(void) { return 0; }
