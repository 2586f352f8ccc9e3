/* 100,000 contexts that are never destroyed: more than there is room for. All of them work, and so does what comes
 * after. Bare NSS takes half a minute for it, and so makes a hundred: what is printed is the same.
 * only in: preloaded thread - it takes two seconds each time
 * counts: hits handles_made=16385 */
#include "snippet.h"

int snippet(void) {
    unsigned char wanted[32];
    static PK11Context *kept[100000];
    init();
    PK11SymKey *key = import(1);
    first_answer(key, wanted);
    kept[0] = create(key, CKA_ENCRYPT);
    int many = is_handle(kept[0]) ? 100000 : 100, made = 1;
    while (made < many && (kept[made] = create(key, CKA_ENCRYPT)) != NULL)
        made++;
    printf("all made: %d\n", made == many);
    for (int i = 0; i < 10; i++)
        message("one of them", kept[(many - 1) / 9 * i]);
    hammer("another key", 2);
    printf("right: %d\n", encrypts(key, wanted));
    PK11_FreeSymKey(key);
    print_shutdown("with the leaks");
    return 0;
}
