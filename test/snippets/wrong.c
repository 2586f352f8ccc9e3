/* A library that changes one result: the runner must see it. */
int NSS_Shutdown(void);
int NSS_Shutdown(void) {
    return 7;
}
