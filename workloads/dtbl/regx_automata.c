#include "dtbl/regx_automata.h"

#include <stdlib.h>
#include <string.h>

/* The state of a set of positions; one that is not among `sets` from `first` on gets the next. */
static uint16_t find_set(Automata *automata, const Expression *expression, Positions set, Positions *sets,
                         uint32_t first, InputError *error)
{
    if (!set || set & expression->last)
        return set ? MATCHED : FAILED;
    for (uint32_t state = first; state < automata->rest_states; state++)
        if (sets[state] == set)
            return (uint16_t)state;
    if (automata->rest_states == MOST_STATES) {
        input_fail(error, "The rules have more than %d states.", MOST_STATES);
        return FAILED;
    }
    sets[automata->rest_states] = set;
    return (uint16_t)automata->rest_states++;
}

static void add_rest(Automata *automata, uint32_t rest, const char *text, Positions *sets, InputError *error)
{
    Expression *expression = &automata->expressions[rest];
    const uint32_t first = automata->rest_states;
    if (!expression_parse(text, expression, error))
        return;
    automata->rest_starts[rest] = find_set(automata, expression, 1, sets, first, error);
    for (uint32_t state = first; state < automata->rest_states; state++)
        for (uint32_t byte = 0; byte < BYTES; byte++) {
            const Positions next = positions_next(expression, sets[state], (uint8_t)byte);
            automata->rests[state][byte] = find_set(automata, expression, next, sets, first, error);
        }
}

/* A beginning of a literal, for which a state stands. */
typedef struct Beginning {
    const char *text;
    size_t length;
} Beginning;

static bool ends_with(const char *text, size_t length, const char *end, size_t end_length)
{
    return end_length <= length && memcmp(text + length - end_length, end, end_length) == 0;
}

/* The longest of the beginnings with which the text ends; the first is empty. */
static uint32_t find_beginning(const Beginning *beginnings, uint32_t count, const char *text, size_t length)
{
    uint32_t longest = 0;
    for (uint32_t i = 1; i < count; i++)
        if (beginnings[i].length > beginnings[longest].length &&
            ends_with(text, length, beginnings[i].text, beginnings[i].length))
            longest = i;
    return longest;
}

/* Returns how many there are, each once. */
static uint32_t list_beginnings(const RuleSet *rules, Beginning *beginnings)
{
    uint32_t count = 1;
    beginnings[0] = (Beginning){"", 0};
    for (uint32_t i = 0; i < rules->literal_count; i++) {
        const char *text = rules->literals[i].text;
        for (size_t length = 1; length <= strlen(text); length++)
            if (beginnings[find_beginning(beginnings, count, text, length)].length < length)
                beginnings[count++] = (Beginning){text, length};
    }
    return count;
}

/* The automaton of Aho and Corasick (1975). */
static void add_literals(Automata *automata, const RuleSet *rules)
{
    Beginning beginnings[1 + MOST_LITERALS * MOST_LITERAL];
    const uint32_t count = automata->literal_states = list_beginnings(rules, beginnings);
    for (uint32_t state = 0; state < count; state++) {
        const Beginning *now = &beginnings[state];
        for (uint32_t i = 0; i < rules->literal_count; i++) {
            const char *text = rules->literals[i].text;
            automata->found[state] |= (uint32_t)ends_with(now->text, now->length, text, strlen(text)) << i;
        }
    }
    for (uint32_t state = 0; state < count; state++)
        for (uint32_t byte = 0; byte < BYTES; byte++) {
            char text[MOST_LITERAL + 1];
            const size_t length = beginnings[state].length;
            memcpy(text, beginnings[state].text, length);
            text[length] = (char)byte;
            const uint32_t next = find_beginning(beginnings, count, text, length + 1);
            automata->literals[state][byte] = (uint16_t)(next | (automata->found[next] ? FOUND : 0));
        }
}

void automata_make(const RuleSet *rules, Automata *automata, InputError *error)
{
    *automata =
        (Automata){.literals = input_array(error, MOST_STATES, sizeof *automata->literals),
                   .rests = input_array(error, MOST_STATES, sizeof *automata->rests),
                   .found = input_array(error, MOST_STATES, sizeof *automata->found),
                   .rest_starts = input_array(error, rules->rest_count, sizeof *automata->rest_starts),
                   .expressions = input_array(error, rules->rest_count, sizeof *automata->expressions),
                   .rest_states = MATCHED + 1};
    Positions *sets = input_array(error, MOST_STATES, sizeof *sets);
    for (uint32_t rest = 0; rest < rules->rest_count && !input_failed(error); rest++)
        add_rest(automata, rest, rules->rests[rest], sets, error);
    if (!input_failed(error))
        add_literals(automata, rules);
    free(sets);
}

void automata_free(Automata *automata)
{
    free(automata->literals);
    free(automata->rests);
    free(automata->found);
    free(automata->rest_starts);
    free(automata->expressions);
}
