/* Uses own.c: in itself, or in a shared object. */
int own_use(void);

int main(void) {
    return own_use();
}
