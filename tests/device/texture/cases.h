/* What texture.cu records on a real GPU and tests/unit/test_texture.c asks of the simulator: cases, each one
 * PTX instruction on one texture or surface, executed at POINTS places.
 *
 * Everything about a case follows from its number, so that the recorded file holds results alone: texels and
 * places come from a hash, the kernel's text from the case. Plain C that nvcc takes as C++, too. */
#ifndef DEVICE_TEXTURE_CASES_H
#define DEVICE_TEXTURE_CASES_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 96, MOST_CASES = 1024, RESULT_WORDS = 4, TEXT_BYTES = 4096 };

/* In the order of WbTextureShape; PITCH is a 2D texture in ordinary memory. */
enum {
    SHAPE_BUFFER,
    SHAPE_1D,
    SHAPE_2D,
    SHAPE_3D,
    SHAPE_A1D,
    SHAPE_A2D,
    SHAPE_CUBE,
    SHAPE_ACUBE,
    SHAPE_PITCH
};
enum { KIND_SIGNED, KIND_UNSIGNED, KIND_FLOAT };
enum { ADDRESS_WRAP, ADDRESS_CLAMP, ADDRESS_MIRROR, ADDRESS_BORDER };
enum { ACTION_READ, ACTION_SURFACE_READ, ACTION_SURFACE_WRITE, ACTION_QUERY };

typedef struct Case {
    char instruction[48]; /* with its suffixes */
    int action, shape;
    int integer_places; /* coordinates are .s32 */
    int kind, channels, bits;
    int address, linear, normalized_places, normalized_values, srgb;
} Case;

/* A place in every form that an instruction could want. */
typedef struct Point {
    float x, y, z, w;
    int32_t i, j, k, layer;
} Point;

typedef struct Extent {
    int width, height, depth;
} Extent;

static inline Extent shape_extent(int shape)
{
    static const Extent extents[] = {{37, 1, 1},  {19, 1, 1}, {13, 10, 1}, {9, 7, 5},  {19, 1, 4},
                                     {13, 10, 3}, {8, 8, 6},  {8, 8, 12},  {13, 10, 1}};
    return extents[shape];
}

static inline uint32_t mix(uint32_t a, uint32_t b)
{
    uint32_t h = a * 0x9e3779b1u ^ (b + 0x7f4a7c15u) * 0x85ebca6bu;
    h = (h ^ h >> 15) * 0xc2b2ae35u;
    h = (h ^ h >> 13) * 0x27d4eb2fu;
    return h ^ h >> 16;
}

/* The bits of a channel; floating-point ones are finite, between 2^-3 and 2^2 with either sign. */
static inline uint32_t texel_bits(const Case *c, uint32_t element, uint32_t channel)
{
    const uint32_t h = mix(element * 4 + channel, 77);
    if (c->kind != KIND_FLOAT)
        return h;
    if (c->bits == 16)
        return (h & 0x83ff) | (12 + h % 5) << 10;
    return (h & 0x807fffff) | (124 + h % 5) << 23;
}

static inline size_t case_element_bytes(const Case *c) { return (size_t)(c->channels * c->bits / 8); }

static inline size_t case_memory_bytes(const Case *c)
{
    const Extent e = shape_extent(c->shape);
    return (size_t)e.width * (size_t)e.height * (size_t)e.depth * case_element_bytes(c);
}

static inline void case_fill(const Case *c, uint8_t *memory)
{
    const size_t bytes = (size_t)c->bits / 8, count = case_memory_bytes(c) / bytes;
    for (size_t n = 0; n < count; n++) {
        const uint32_t element = (uint32_t)n / (uint32_t)c->channels,
                       channel = (uint32_t)n % (uint32_t)c->channels;
        const uint32_t bits = texel_bits(c, element, channel);
        memcpy(memory + n * bytes, &bits, bytes);
    }
}

static inline float unit_float(uint32_t h) { return (float)(h >> 8) / 16777216.0f; }

/* A coordinate along an axis of `size` texels: anywhere from beyond one end to beyond the other, on the edges
 * and centres of texels and just beside them, and what is no sensible coordinate at all. */
static inline float coordinate(int number, int axis, int size, int is_normalized)
{
    static const float odd[] = {0.0f,  -0.0f,  1e-30f,   -1e-30f,   1e9f,  -1e9f,
                                3e38f, -3e38f, 65536.5f, -4096.25f, 1e-6f, -1e-6f};
    const uint32_t h = mix((uint32_t)number, (uint32_t)axis + 1000);
    float texels;
    if (number < 44) {
        texels = (unit_float(h) * 4 - 1.5f) * (float)size;
    } else if (number < 60) {
        texels = unit_float(h) * (float)size;
    } else if (number < 84) {
        const float near_by[] = {0,           1 / 256.0f,  -1 / 256.0f, 1 / 512.0f,
                                 -1 / 512.0f, 1 / 1024.0f, 1e-5f,       -1e-5f};
        texels = (float)((int)(h % (uint32_t)(6 * size)) - 2 * size) * 0.5f + near_by[h >> 16 & 7];
    } else {
        texels = axis == number % 3 ? odd[number - 84] : unit_float(h) * (float)size;
    }
    return is_normalized ? texels / (float)size : texels;
}

/* Directions: all, onto edges and corners of the cube, and along axes. */
static inline float direction(int number, int axis)
{
    const uint32_t h = mix((uint32_t)number, (uint32_t)axis + 2000);
    if (number < 56)
        return unit_float(h) * 2 - 1;
    if (number < 80)
        return (float)((int)(h % 5) - 2) * 0.5f;
    return (float)((int)(h % 17) - 8) * 0.125f * (number < 88 ? 1.0f : 100.0f);
}

static inline Point case_point(const Case *c, int number)
{
    const Extent e = shape_extent(c->shape);
    const int is_cube = c->shape == SHAPE_CUBE || c->shape == SHAPE_ACUBE, n = c->normalized_places;
    const int bytes = c->action == ACTION_READ ? 1 : (int)case_element_bytes(c);
    const int layers = c->shape == SHAPE_ACUBE ? 2 : e.depth;
    Point p;
    p.x = is_cube ? direction(number, 0) : coordinate(number, 0, e.width, n);
    p.y = is_cube ? direction(number, 1) : coordinate(number, 1, e.height, n);
    p.z = is_cube ? direction(number, 2) : coordinate(number, 2, e.depth, n);
    p.w = 0;
    p.i = ((int)(mix((uint32_t)number, 1) % (uint32_t)(2 * e.width)) - e.width / 2) * bytes;
    p.j = (int)(mix((uint32_t)number, 2) % (uint32_t)(2 * e.height)) - e.height / 2;
    p.k = (int)(mix((uint32_t)number, 3) % (uint32_t)(2 * e.depth)) - e.depth / 2;
    p.layer = number < 48 ? number % layers : (int)(mix((uint32_t)number, 4) % (uint32_t)(layers + 4)) - 2;
    return p;
}

/* The words that a surface is written with at a place. */
static inline uint32_t write_word(int number, int word)
{
    return mix((uint32_t)number, (uint32_t)word + 3000);
}

/* Bytes of the case in the recorded file: what each point read, or the surface after all points were written. */
static inline size_t case_result_bytes(const Case *c)
{
    return c->action == ACTION_SURFACE_WRITE ? case_memory_bytes(c) : (size_t)POINTS * RESULT_WORDS * 4;
}

/* Coordinates as the instruction takes them; 3D and layered 2D ones are padded to four. */
static inline const char *case_places(const Case *c)
{
    static const char *const of_float[] = {"%i",
                                           "%x",
                                           "%x, %y",
                                           "%x, %y, %z, %z",
                                           "%layer, %x",
                                           "%layer, %x, %y, %y",
                                           "%x, %y, %z, %z",
                                           "%layer, %x, %y, %z",
                                           "%x, %y"};
    static const char *const of_integer[] = {"%i",
                                             "%i",
                                             "%i, %j",
                                             "%i, %j, %k, %k",
                                             "%layer, %i",
                                             "%layer, %i, %j, %j",
                                             "%layer, %i, %j, %j",
                                             "%layer, %i, %j, %j",
                                             "%i, %j"};
    return c->integer_places ? of_integer[c->shape] : of_float[c->shape];
}

/* The instruction with its operands; %w0.. are .b32, %h0.. .b16, %d0.. .b64 registers of a result or a value. */
static inline void case_statement(const Case *c, char *to)
{
    const char *text = c->instruction;
    const int wide = strstr(text, ".b64") != 0, narrow = strstr(text, ".b8") || strstr(text, ".b16");
    const int count = strstr(text, ".v4") ? 4 : strstr(text, ".v2") ? 2 : 1;
    const char letter = wide ? 'd' : narrow ? 'h' : 'w';
    char data[64];
    int length = sprintf(data, "{");
    for (int n = 0; n < count; n++)
        length += sprintf(data + length, "%s%%%c%d", n ? ", " : "", letter, n);
    sprintf(data + length, "}");
    if (c->action == ACTION_QUERY)
        sprintf(to, "%s %%w0, [%%object];", text);
    else if (c->action == ACTION_SURFACE_WRITE)
        sprintf(to, "%s [%%object, {%s}], %s;", text, case_places(c), data);
    else if (strstr(text, "tex.level"))
        sprintf(to, "%s %s, [%%object, {%s}], 0f3F000000;", text, data, case_places(c));
    else if (strstr(text, "tex.grad.2d"))
        sprintf(to, "%s %s, [%%object, {%s}], {%%y, %%x}, {%%x, %%y};", text, data, case_places(c));
    else
        sprintf(to, "%s %s, [%%object, {%s}];", text, data, case_places(c));
}

/* A kernel case_<number>(object, points, results, values): thread t takes points t, t + block size and so on.
 * Returns the length of its text. */
static inline int case_kernel(const Case *c, int number, char *to)
{
    char statement[256];
    case_statement(c, statement);
    const char *clear =
        "    mov.b32 %w1, 0;\n    mov.b32 %w2, 0;\n    mov.b32 %w3, 0;\n    mov.b32 %w0, 0;\n";
    const char *text = c->instruction;
    const int wide = strstr(text, ".b64") != 0, narrow = strstr(text, ".b8") || strstr(text, ".b16");
    const int count = strstr(text, ".v4") ? 4 : strstr(text, ".v2") ? 2 : 1;
    int n = sprintf(to,
                    ".visible .entry case_%d(.param .u64 object, .param .u64 points, .param .u64 results, "
                    ".param .u64 values)\n{\n"
                    "    .reg .b64 %%object, %%points, %%results, %%values, %%from, %%into, %%d<4>;\n"
                    "    .reg .b32 %%number, %%step, %%i, %%j, %%k, %%layer, %%w<4>;\n"
                    "    .reg .f32 %%x, %%y, %%z, %%unused;\n    .reg .b16 %%h<4>;\n    .reg .pred %%more;\n"
                    "    ld.param.u64 %%object, [object];\n    ld.param.u64 %%points, [points];\n"
                    "    ld.param.u64 %%results, [results];\n    ld.param.u64 %%values, [values];\n"
                    "    mov.u32 %%number, %%tid.x;\n    mov.u32 %%step, %%ntid.x;\nnext:\n"
                    "    mad.wide.u32 %%from, %%number, 32, %%points;\n"
                    "    ld.global.v4.f32 {%%x, %%y, %%z, %%unused}, [%%from];\n"
                    "    ld.global.v4.b32 {%%i, %%j, %%k, %%layer}, [%%from+16];\n%s",
                    number, clear);
    if (c->action == ACTION_SURFACE_WRITE) {
        n += sprintf(to + n, "    mad.wide.u32 %%from, %%number, 16, %%values;\n"
                             "    ld.global.v4.b32 {%%w0, %%w1, %%w2, %%w3}, [%%from];\n");
        for (int k = 0; k < count; k++)
            n += sprintf(to + n, narrow ? "    cvt.u16.u32 %%h%d, %%w%d;\n" : "", k, k);
        if (wide)
            n += sprintf(to + n, "    mov.b64 %%d0, {%%w0, %%w1};\n    mov.b64 %%d1, {%%w2, %%w3};\n");
    }
    n += sprintf(to + n, "    %s\n", statement);
    if (c->action != ACTION_SURFACE_WRITE) {
        for (int k = 0; k < count && narrow; k++)
            n += sprintf(to + n, "    cvt.u32.u16 %%w%d, %%h%d;\n", k, k);
        if (wide)
            n += sprintf(to + n, "    mov.b64 {%%w0, %%w1}, %%d0;\n%s",
                         count == 2 ? "    mov.b64 {%w2, %w3}, %d1;\n" : "");
        n += sprintf(to + n, "    mad.wide.u32 %%into, %%number, 16, %%results;\n"
                             "    st.global.v4.b32 [%%into], {%%w0, %%w1, %%w2, %%w3};\n");
    }
    return n + sprintf(to + n,
                       "    add.u32 %%number, %%number, %%step;\n    setp.lt.u32 %%more, %%number, %d;\n"
                       "    @%%more bra next;\n    ret;\n}\n",
                       POINTS);
}

typedef struct Cases {
    Case list[MOST_CASES];
    int count;
} Cases;

static inline Case *case_add(Cases *cases, const char *instruction, Case like)
{
    Case *c = &cases->list[cases->count++];
    *c = like;
    snprintf(c->instruction, sizeof c->instruction, "%s", instruction);
    return c;
}

/* How a texture's element arrives: as what type, and with integers read as they are or normalized. */
static inline const char *case_type(const Case *c)
{
    return c->kind == KIND_FLOAT || c->normalized_values ? "f32" : c->kind == KIND_SIGNED ? "s32" : "u32";
}

static inline const char *shape_suffix(int shape)
{
    static const char *const suffixes[] = {"1d", "1d", "2d", "3d", "a1d", "a2d", "cube", "acube", "2d"};
    return suffixes[shape];
}

static inline void case_add_read(Cases *cases, Case c)
{
    char text[48];
    const int is_integer = c.shape == SHAPE_BUFFER || c.integer_places;
    snprintf(text, sizeof text, "tex.%s.v4.%s.%s", shape_suffix(c.shape), case_type(&c),
             is_integer ? "s32" : "f32");
    case_add(cases, text, c);
}

/* Every shape, filter, addressing and kind of coordinate, with two formats. */
static inline void cases_of_addressing(Cases *cases)
{
    for (int shape = SHAPE_1D; shape <= SHAPE_PITCH; shape++)
        for (int mode = 0; mode < 32; mode++) {
            Case c;
            memset(&c, 0, sizeof c);
            c.shape = shape;
            c.address = mode & 3;
            c.linear = mode >> 2 & 1;
            c.normalized_places = mode >> 3 & 1;
            const int is_byte = mode >> 4;
            c.kind = is_byte ? KIND_UNSIGNED : KIND_FLOAT;
            c.channels = is_byte ? 4 : 1;
            c.bits = is_byte ? 8 : 32;
            c.normalized_values = is_byte;
            case_add_read(cases, c);
        }
}

/* Every format, of a 2D texture and of a buffer; linear, too, where the result is a float. */
static inline void cases_of_formats(Cases *cases)
{
    for (int shape = SHAPE_BUFFER; shape <= SHAPE_2D; shape += SHAPE_2D)
        for (int kind = KIND_SIGNED; kind <= KIND_FLOAT; kind++)
            for (int bits = kind == KIND_FLOAT ? 16 : 8; bits <= 32; bits *= 2)
                for (int channels = 1; channels <= 4; channels *= 2)
                    for (int mode = 0; mode < 8; mode++) {
                        Case c;
                        memset(&c, 0, sizeof c);
                        c.shape = shape;
                        c.kind = kind;
                        c.bits = bits;
                        c.channels = channels;
                        c.linear = mode & 1;
                        c.normalized_values = mode >> 1 & 1;
                        c.address = mode >> 2 ? ADDRESS_BORDER : ADDRESS_CLAMP;
                        const int is_float = kind == KIND_FLOAT || c.normalized_values;
                        if ((c.linear && (!is_float || shape == SHAPE_BUFFER)) ||
                            (c.normalized_values && (kind == KIND_FLOAT || bits == 32)) ||
                            (shape == SHAPE_BUFFER && c.address != ADDRESS_CLAMP))
                            continue;
                        case_add_read(cases, c);
                    }
    for (int mode = 0; mode < 6; mode++) {
        Case c;
        memset(&c, 0, sizeof c);
        c.shape = SHAPE_2D;
        c.kind = KIND_UNSIGNED;
        c.bits = 8;
        c.channels = 1 << mode / 2;
        c.linear = mode & 1;
        c.normalized_values = c.srgb = 1;
        c.address = ADDRESS_CLAMP;
        case_add_read(cases, c);
    }
}

/* Gathers, integer coordinates, and levels and gradients that a texture without levels does not heed. */
static inline void cases_of_forms(Cases *cases)
{
    static const char *const extra[] = {"tex.level.2d.v4.f32.f32", "tex.grad.2d.v4.f32.f32"};
    char text[48];
    Case c;
    memset(&c, 0, sizeof c);
    for (int mode = 0; mode < 64; mode++) {
        c.shape = SHAPE_2D;
        c.address = mode >> 2 & 3;
        c.normalized_places = mode >> 4 & 1;
        const int is_byte = mode >> 5;
        c.kind = is_byte ? KIND_UNSIGNED : KIND_SIGNED;
        c.normalized_values = is_byte;
        c.channels = 4;
        c.bits = is_byte ? 8 : 32;
        snprintf(text, sizeof text, "tld4.%c.2d.v4.%s.f32", "rgba"[mode & 3], case_type(&c));
        case_add(cases, text, c);
    }
    memset(&c, 0, sizeof c);
    c.kind = KIND_FLOAT;
    c.channels = 2;
    c.bits = 32;
    c.integer_places = 1;
    for (int shape = SHAPE_1D; shape <= SHAPE_A2D; shape++)
        for (int address = 0; address < 4; address++) {
            c.shape = shape;
            c.address = address;
            case_add_read(cases, c);
        }
    c.integer_places = 0;
    c.shape = SHAPE_2D;
    for (int mode = 0; mode < 4; mode++) {
        c.linear = mode & 1;
        c.normalized_places = c.linear;
        case_add(cases, extra[mode >> 1], c);
    }
}

/* Surfaces: every format of a 2D one, two of the other shapes; queries. */
static inline void cases_of_surfaces(Cases *cases)
{
    static const int shapes[] = {SHAPE_2D, SHAPE_1D, SHAPE_3D, SHAPE_A1D, SHAPE_A2D, SHAPE_CUBE, SHAPE_ACUBE};
    static const char *const names[] = {"2d", "1d", "3d", "a1d", "a2d", "a2d", "a2d"};
    static const char *const modes[] = {"clamp", "zero"};
    static const char *const queries[] = {"txq.width.b32", "txq.height.b32", "txq.depth.b32",
                                          "suq.width.b32", "suq.height.b32", "suq.depth.b32"};
    char text[48];
    Case c;
    memset(&c, 0, sizeof c);
    c.integer_places = 1;
    c.kind = KIND_UNSIGNED;
    for (int s = 0; s < 7; s++)
        for (int bits = 8; bits <= 64; bits *= 2)
            for (int channels = 1; channels <= 4 && channels * bits <= 128; channels *= 2)
                for (int mode = 0; mode < 4; mode++) {
                    const int is_plain = (bits == 32 && channels == 1) || (bits == 16 && channels == 2);
                    if (s && !is_plain)
                        continue;
                    static const char *const vectors[] = {"", "", ".v2", "", ".v4"};
                    c.shape = shapes[s];
                    c.action = mode & 1 ? ACTION_SURFACE_WRITE : ACTION_SURFACE_READ;
                    c.bits = bits == 64 ? 32 : bits;
                    c.channels = bits == 64 ? channels * 2 : channels;
                    snprintf(text, sizeof text, "%s.b.%s%s.b%d.%s", mode & 1 ? "sust" : "suld", names[s],
                             vectors[channels], bits, modes[mode >> 1]);
                    case_add(cases, text, c);
                }
    c.action = ACTION_QUERY;
    for (int q = 0; q < 6; q++)
        for (int shape = SHAPE_1D; shape <= SHAPE_ACUBE; shape++) {
            c.shape = shape;
            case_add(cases, queries[q], c);
        }
}

static inline void cases_list(Cases *cases)
{
    cases->count = 0;
    cases_of_addressing(cases);
    cases_of_formats(cases);
    cases_of_forms(cases);
    cases_of_surfaces(cases);
}

/* The object is a surface. */
static inline int case_is_surface(const Case *c)
{
    return c->action == ACTION_SURFACE_READ || c->action == ACTION_SURFACE_WRITE || c->instruction[1] == 'u';
}

static const float case_border[4] = {0.25f, -1.75f, 3.0f, 0.6f};

#endif
