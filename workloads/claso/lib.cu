/* A portfolio of swaptions in the LIBOR market model by Monte Carlo, as LIB of GPGPU-Sim's set values it
 * [Giles and Glasserman, Smoking adjoints: fast Monte Carlo Greeks, Risk 19(1), 2006]. A thread follows a
 * path of the forward rates in local memory. One kernel takes the portfolio's value; the other one also
 * its derivatives by the initial rates, backwards through a copy of the rates of every step. */

constexpr int MOST_RATES = 80, MOST_STEPS = 40, SWAPTIONS = 15;

/* As the host has it. */
struct Model {
    int rates, steps; /* forward rates, and how many of them are fixed before the swaptions begin */
    float interval;   /* between two rates, in years */
    float initial;    /* all rates at the beginning */
    int maturities[SWAPTIONS];
    float strikes[SWAPTIONS];
    float volatilities[MOST_RATES];
};
__constant__ Model model;

/* A step of all rates that are not fixed yet. `kept`: null, or where they go as well. */
__device__ __forceinline__ void advance(float *rates, int step, float chance, float *kept)
{
    const float shock = sqrtf(model.interval) * chance;
    float drift = 0.0f;
#pragma unroll 1
    for (int i = step + 1; i < model.rates; i++) {
        const float volatility = model.volatilities[i - step - 1], weight = model.interval * volatility;
        const float rate = rates[i];
        drift += __fdividef(weight * rate, 1.0f + model.interval * rate);
        rates[i] = rate * __expf(weight * drift + volatility * (shock - 0.5f * weight));
        if (kept)
            kept[i] = rates[i];
    }
}

/* Bonds and annuities at the end of the steps, for each further rate. */
__device__ __forceinline__ void make_bonds(const float *rates, float *bonds, float *annuities)
{
    float bond = 1.0f, annuity = 0.0f;
#pragma unroll 1
    for (int m = 0; m < model.rates - model.steps; m++) {
        bond = __fdividef(bond, 1.0f + model.interval * rates[model.steps + m]);
        annuity += model.interval * bond;
        bonds[m] = bond;
        annuities[m] = annuity;
    }
}

__device__ __forceinline__ float discount(const float *rates)
{
    float factor = 1.0f;
#pragma unroll 1
    for (int n = 0; n < model.steps; n++)
        factor = __fdividef(factor, 1.0f + model.interval * rates[n]);
    return factor;
}

__device__ __forceinline__ float worth(int option, const float *bonds, const float *annuities)
{
    const int m = model.maturities[option] - 1;
    return bonds[m] + model.strikes[option] * annuities[m] - 1.0f;
}

__device__ float portfolio(const float *rates)
{
    float bonds[MOST_STEPS], annuities[MOST_STEPS], value = 0.0f;
    make_bonds(rates, bonds, annuities);
#pragma unroll 1
    for (int i = 0; i < SWAPTIONS; i++) {
        const float swap = worth(i, bonds, annuities);
        if (swap < 0.0f)
            value -= 100.0f * swap;
    }
    return value * discount(rates);
}

/* The same, and its derivatives by the rates take their place. */
__device__ float portfolio_and_slopes(float *rates)
{
    float bonds[MOST_STEPS], annuities[MOST_STEPS], bond_slopes[MOST_STEPS], annuity_slopes[MOST_STEPS];
    const int behind = model.rates - model.steps;
    const float factor = discount(rates);
    float value = 0.0f, bond_slope = 0.0f, annuity_slope = 0.0f;
    make_bonds(rates, bonds, annuities);
#pragma unroll 1
    for (int m = 0; m < behind; m++)
        bond_slopes[m] = annuity_slopes[m] = 0.0f;
#pragma unroll 1
    for (int i = 0; i < SWAPTIONS; i++) {
        const int m = model.maturities[i] - 1;
        const float swap = worth(i, bonds, annuities);
        if (swap < 0.0f) {
            value -= 100.0f * swap;
            annuity_slopes[m] -= 100.0f * model.strikes[i];
            bond_slopes[m] -= 100.0f;
        }
    }
#pragma unroll 1
    for (int m = behind - 1; m >= 0; m--) {
        const float ratio = __fdividef(1.0f, 1.0f + model.interval * rates[model.steps + m]);
        annuity_slope += annuity_slopes[m];
        bond_slope += bond_slopes[m] + model.interval * annuity_slope;
        rates[model.steps + m] = -factor * bond_slope * bonds[m] * model.interval * ratio;
        bond_slope *= ratio;
    }
    value *= factor;
#pragma unroll 1
    for (int n = 0; n < model.steps; n++)
        rates[n] = __fdividef(-value * model.interval, 1.0f + model.interval * rates[n]);
    return value;
}

/* Derivatives by the rates behind a step become those by the rates before it. */
__device__ __forceinline__ void go_back(float *slopes, int step, const float *before, const float *behind)
{
    float sum = 0.0f;
#pragma unroll 1
    for (int i = model.rates - 1; i > step; i--) {
        const float volatility = model.volatilities[i - step - 1];
        const float share = __fdividef(model.interval, 1.0f + model.interval * before[i]);
        sum += volatility * behind[i] * slopes[i];
        slopes[i] = slopes[i] * __fdividef(behind[i], before[i]) + sum * volatility * share * share;
    }
}

__device__ __forceinline__ void begin(float *rates, float *chances, const float *draws, int path, int paths)
{
#pragma unroll 1
    for (int i = 0; i < model.rates; i++)
        rates[i] = model.initial;
#pragma unroll 1
    for (int n = 0; n < model.steps; n++)
        chances[n] = draws[n * paths + path];
}

extern "C" __global__ void __launch_bounds__(64)
    portfolio_values(float *values, const float *draws, int paths)
{
    float rates[MOST_RATES], chances[MOST_STEPS];
    for (int path = blockIdx.x * blockDim.x + threadIdx.x; path < paths; path += blockDim.x * gridDim.x) {
        begin(rates, chances, draws, path, paths);
#pragma unroll 1
        for (int n = 0; n < model.steps; n++)
            advance(rates, n, chances[n], nullptr);
        values[path] = portfolio(rates);
    }
}

/* What is kept of the derivatives is their sum: that by a shift of all initial rates. */
extern "C" __global__ void __launch_bounds__(64)
    portfolio_greeks(float *values, float *slopes, const float *draws, int paths)
{
    float rates[MOST_RATES], chances[MOST_STEPS], kept[MOST_RATES * (MOST_STEPS + 1)];
    for (int path = blockIdx.x * blockDim.x + threadIdx.x; path < paths; path += blockDim.x * gridDim.x) {
        begin(rates, chances, draws, path, paths);
#pragma unroll 1
        for (int i = 0; i < model.rates; i++)
            kept[i] = rates[i];
#pragma unroll 1
        for (int n = 0; n < model.steps; n++)
            advance(rates, n, chances[n], &kept[(n + 1) * model.rates]);
        values[path] = portfolio_and_slopes(rates);
#pragma unroll 1
        for (int n = model.steps - 1; n >= 0; n--)
            go_back(rates, n, &kept[n * model.rates], &kept[(n + 1) * model.rates]);
        float sum = 0.0f;
#pragma unroll 1
        for (int i = 0; i < model.rates; i++)
            sum += rates[i];
        slopes[path] = sum;
    }
}
