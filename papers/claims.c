#include "claims.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const verdict_names[] = {
    [VERDICT_NOT_MEASURED] = "not measured",
    [VERDICT_DIFFERS] = "differs",
    [VERDICT_AGREES] = "agrees",
    [VERDICT_INPUT] = "input"};

/* -- reading -- */

/* Cuts the line's next field off, taking it out of its quotes; null after the last one. */
static char *next_field(char **rest)
{
    char *from = *rest, *to = *rest, *field = *rest;
    if (!from)
        return NULL;
    for (bool quoted = false; *from && (quoted || *from != ','); from++) {
        const bool doubled = quoted && from[0] == '"' && from[1] == '"';
        if (doubled)
            from++;
        else if (*from == '"')
            quoted = !quoted;
        if (doubled || *from != '"')
            *to++ = *from;
    }
    *rest = *from ? from + 1 : NULL;
    *to = '\0';
    return field;
}

static char *copy_of(const char *text)
{
    char *copy = xmalloc(strlen(text) + 1);
    return strcpy(copy, text);
}

static bool read_row(char *line, const char *paper, Claims *claims)
{
    Claim claim;
    char **const fields[] = {&claim.id,       &claim.paper,     &claim.where,
                             &claim.quantity, &claim.published, &claim.unit};
    char *texts[6];
    for (int i = 0; i < 6; i++)
        if (!(texts[i] = next_field(&line)))
            return false;
    if (paper && strcmp(paper, texts[1]) != 0)
        return true;
    for (int i = 0; i < 6; i++)
        *fields[i] = copy_of(texts[i]);
    VEC_PUSH(&claims->rows, claim);
    return true;
}

bool claims_read(const char *path, const char *paper, Claims *claims, Error *error)
{
    FILE *file = fopen(path, "r");
    *claims = (Claims){0};
    if (!file) {
        error_set(error, WB_ERROR_ARGUMENT, "%s cannot be read: %s.", path, strerror(errno));
        return false;
    }
    char *line = NULL;
    size_t capacity = 0;
    bool right = true;
    for (int number = 1; right && getline(&line, &capacity, file) > 0; number++) {
        line[strcspn(line, "\r\n")] = '\0';
        right = number == 1 || read_row(line, paper, claims);
        if (!right)
            error_set(error, WB_ERROR_ARGUMENT, "%s:%d: a claim needs six fields.", path, number);
    }
    free(line);
    fclose(file);
    return right;
}

static void free_claim(Claim *claim)
{
    char *const fields[] = {claim->id,       claim->paper,     claim->where,
                            claim->quantity, claim->published, claim->unit};
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
        xfree(fields[f]);
}

void claims_free(Claims *claims)
{
    for (uint32_t i = 0; i < claims->rows.count; i++)
        free_claim(&claims->rows.items[i]);
    VEC_FREE(&claims->rows);
}

void claims_keep(Claims *claims, const char *prefix)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < claims->rows.count; i++) {
        if (strncmp(claims->rows.items[i].id, prefix, strlen(prefix)) == 0)
            claims->rows.items[kept++] = claims->rows.items[i];
        else
            free_claim(&claims->rows.items[i]);
    }
    claims->rows.count = kept;
}

/* -- numbers in texts -- */

/* How many characters from `at` on are a number: a sign only at the beginning of the text or behind a space,
 * since elsewhere it joins two numbers. */
static size_t number_length(const char *text, const char *at)
{
    const char *digits = at;
    if ((*at == '+' || *at == '-') && (at == text || at[-1] == ' '))
        digits++;
    if (!isdigit((unsigned char)*digits))
        return 0;
    digits += strspn(digits, "0123456789");
    if (digits[0] == '.' && isdigit((unsigned char)digits[1]))
        digits += 1 + strspn(digits + 1, "0123456789");
    return (size_t)(digits - at);
}

size_t claim_numbers(const Claim *claim, double numbers[CLAIM_NUMBERS])
{
    size_t count = 0;
    for (const char *at = claim->published; *at && count < CLAIM_NUMBERS;) {
        const size_t length = number_length(claim->published, at);
        if (length)
            numbers[count++] = strtod(at, NULL);
        at += length ? length : 1;
    }
    return count;
}

/* -- verdicts -- */

/* How the quantity of an input begins: it configures the simulated machine, which has to give it back, or our
 * programs were chosen by it. */
static const char INPUT[] = "INPUT, to be checked: ";

static bool is_input(const Claim *claim) { return strncmp(claim->quantity, INPUT, strlen(INPUT)) == 0; }

static bool ends_in(const char *text, const char *end)
{
    const size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

bool claim_meets(const Claim *claim, double published, double measured)
{
    /* What 15% of a decimal number comes to in binary must not decide about the bound itself. */
    enum { PERCENT = 15, OF_ZERO = 1 };
    const double slack = 1e-9, off = fabs(measured - published);
    if (is_input(claim))
        return measured == published;
    if (ends_in(claim->quantity, "below"))
        return measured < published;
    return off <= (published == 0 ? OF_ZERO : fabs(published) * PERCENT / 100) + slack;
}

/* Of a number's text, at least one unless it is an input that is whole. */
static int decimals_of(const Claim *claim, const char *at, size_t length, double value)
{
    const char *point = memchr(at, '.', length);
    if (point)
        return (int)(at + length - point - 1);
    return is_input(claim) && value == floor(value) ? 0 : 1;
}

Judgement judgement_none(void)
{
    Judgement judgement = {.verdict = VERDICT_NOT_MEASURED};
    for (size_t i = 0; i < CLAIM_NUMBERS; i++)
        judgement.values[i] = NAN;
    return judgement;
}

void judgement_end(Judgement *judgement, const Claim *claim)
{
    size_t count = 0;
    bool all = true, missing = false;
    FILE *out = fmemopen(judgement->measured, CLAIM_TEXT, "w");
    for (const char *at = claim->published; *at;) {
        const size_t length = number_length(claim->published, at);
        if (!length || count == CLAIM_NUMBERS) {
            fputc(*at++, out);
            continue;
        }
        const double value = judgement->values[count++];
        if (isnan(value))
            fputc('-', out);
        else
            fprintf(out, "%.*f", decimals_of(claim, at, length, value), value);
        missing = missing || isnan(value);
        all = all && claim_meets(claim, strtod(at, NULL), value);
        at += length;
    }
    fclose(out);
    judgement->verdict = missing || !count ? VERDICT_NOT_MEASURED
                         : !all            ? VERDICT_DIFFERS
                         : is_input(claim) ? VERDICT_INPUT
                                           : VERDICT_AGREES;
}

ClaimCount claims_count(const Claims *claims, const Judgement *judgements)
{
    ClaimCount count = {0};
    for (uint32_t i = 0; i < claims->rows.count; i++) {
        const bool is_result = !is_input(&claims->rows.items[i]);
        count.results += is_result;
        count.agreeing += is_result && judgements[i].verdict == VERDICT_AGREES;
        count.unmeasured += is_result && judgements[i].verdict == VERDICT_NOT_MEASURED;
    }
    return count;
}

/* -- writing -- */

void claims_write_count(const Claims *claims, const Judgement *judgements, FILE *out)
{
    const ClaimCount count = claims_count(claims, judgements);
    fprintf(out, "%u of %u results agree", count.agreeing, count.results);
    if (count.unmeasured)
        fprintf(out, "; %u of those that do not were not measured", count.unmeasured);
    fputs(". Inputs are not counted.\n\n", out);
}

Sheet claims_sheet(const Claims *claims, const Judgement *judgements)
{
    static const char *const columns[] = {"id", "published", "measured", "unit", "verdict", "claim"};
    Sheet sheet = {.name = "claims", .title = "Claims. " CLAIM_TOLERANCES};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        sheet_column(&sheet, columns[i]);
    for (uint32_t i = 0; i < claims->rows.count; i++) {
        const Claim *claim = &claims->rows.items[i];
        const Judgement *judgement = &judgements[i];
        char text[512];
        const char *note = judgement->note ? judgement->note : is_input(claim) ? "an input of ours" : NULL;
        const char *quantity = claim->quantity + (is_input(claim) ? strlen(INPUT) : 0);
        snprintf(text, sizeof text, "%s%s%s%s", quantity, note ? " (" : "", note ? note : "",
                 note ? ")" : "");
        sheet_text(&sheet, claim->id);
        sheet_text(&sheet, claim->published);
        sheet_text(&sheet, judgement->measured);
        sheet_text(&sheet, claim->unit);
        sheet_text(&sheet, verdict_names[judgement->verdict]);
        sheet_text(&sheet, text);
    }
    return sheet;
}

void claims_write_csv(const Claims *claims, const Judgement *judgements, FILE *out)
{
    fputs("id,published,measured,unit,verdict\n", out);
    for (uint32_t i = 0; i < claims->rows.count; i++) {
        const Claim *claim = &claims->rows.items[i];
        const char *const fields[] = {claim->id, claim->published, judgements[i].measured, claim->unit,
                                      verdict_names[judgements[i].verdict]};
        for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
            fputs(f ? "," : "", out);
            csv_write_field(fields[f], out);
        }
        fputc('\n', out);
    }
}
