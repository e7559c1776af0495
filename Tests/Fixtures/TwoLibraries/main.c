// Whether a library finds by name what another one has registered.
void first_register(void);
int second_find(void);

int main(void) {
    first_register();
    return second_find() == 78 ? 0 : 1;
}
