/* The nth Fibonacci number [channels, figure 8]. */
int fib(int n)
{
    if (n <= 2)
        return 1;
    int x = cilk_spawn fib(n - 1);
    int y = cilk_spawn fib(n - 2);
    cilk_sync;
    return x + y;
}
