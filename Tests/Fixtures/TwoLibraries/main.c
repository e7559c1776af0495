// Checks that a library finds services by name that another library registered.
void first_register(void);
int second_find(void);

int main(void) {
    first_register();
    return second_find() == 78 ? 0 : 1;
}
