/* A library that is loaded again and again by unwind_while_loading.c: its constructor runs with the loader's lock held.
 */
void snippet_unwind_here(unsigned path);
__attribute__((constructor)) static void constructor(void) {
    snippet_unwind_here(1);
}
