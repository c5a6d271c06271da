/* unwind.c - walks the calling thread's stack by the tables that compilers make for exceptions (.eh_frame)
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "base/unwind.h"

#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/kernel.h"

#if DSN_UNWINDS

#define REMEMBERED 2                 /* states of registers that a function's instructions may keep at a time */
#define DEPTH      16                /* values of an expression */
#define PAGE       ((uintptr_t)4096) /* no processor's are smaller: all of one can be read, or nothing */

/* ------------------------------------------------------------------ reading memory and tables */

/* Whether the page can be read, as the kernel finds when it is to take a set of signals from there, for nothing: it looks at the
 * set before it finds that there is no such operation. */
static bool is_readable(struct dsn_unwinding *u, uintptr_t address)
{
    const uintptr_t page = address / PAGE * PAGE;

    if (address >= u->readable && address < u->readable_end)
        return true;
    if (dsn__syscall(SYS_rt_sigprocmask, -1, (void *)page, NULL, 8) == 0 || errno != EINVAL)
        return false;
    if (page == u->readable_end)
        u->readable_end += PAGE;
    else {
        u->readable = page;
        u->readable_end = page + PAGE;
    }
    return true;
}

/* Not as the sanitizers would have it: words of other functions' frames. */
__attribute__((no_sanitize_address)) static bool read_word(struct dsn_unwinding *u, uintptr_t address, uintptr_t *out)
{
    if (address % sizeof *out != 0 || !is_readable(u, address))
        return false;
    *out = *(const volatile uintptr_t *)address;
    return true;
}

struct bytes {
    const unsigned char *at, *end;
    bool is_bad;
};

static uint64_t next_number(struct bytes *b, size_t n)
{
    uint64_t v = 0;

    if ((size_t)(b->end - b->at) < n) {
        b->is_bad = true;
        b->at = b->end;
        return 0;
    }
    for (size_t i = 0; i < n; i++)
        v |= (uint64_t)b->at[i] << 8 * i;
    b->at += n;
    return v;
}

static int64_t next_signed(struct bytes *b, size_t n)
{
    const uint64_t v = next_number(b, n);

    return n == 8 ? (int64_t)v : (int64_t)(v << (64 - 8 * n)) >> (64 - 8 * n);
}

static uint64_t next_uleb(struct bytes *b)
{
    uint64_t v = 0, byte = 0x80;

    for (unsigned shift = 0; byte & 0x80 && !b->is_bad; shift += 7) {
        byte = next_number(b, 1);
        v |= shift < 64 ? (byte & 0x7f) << shift : 0;
    }
    return v;
}

static int64_t next_sleb(struct bytes *b)
{
    uint64_t v = 0, byte = 0x80;
    unsigned shift = 0;

    for (; byte & 0x80 && !b->is_bad; shift += 7) {
        byte = next_number(b, 1);
        v |= shift < 64 ? (byte & 0x7f) << shift : 0;
    }
    return byte & 0x40 && shift < 64 ? (int64_t)(v | UINT64_MAX << shift) : (int64_t)v;
}

static struct bytes next_block(struct bytes *b)
{
    const uint64_t size = next_uleb(b);
    struct bytes block = { b->at, b->at, b->is_bad };

    if (size > (size_t)(b->end - b->at))
        b->is_bad = block.is_bad = true;
    else
        block.end = b->at += size;
    return block;
}

/* A pointer as .eh_frame has them; `data` is what those relative to the header are relative to. */
static uintptr_t next_pointer(struct bytes *b, unsigned encoding, uintptr_t data)
{
    static const size_t sizes[] = { sizeof(uintptr_t), 0, 2, 4, 8 }; /* 0: LEB128 */
    const uintptr_t here = (uintptr_t)b->at;
    const unsigned form = encoding & 7;
    const bool is_signed = encoding & 8;
    uintptr_t v = 0;

    if (form > 4)
        b->is_bad = true;
    else if (sizes[form] == 0)
        v = (uintptr_t)(is_signed ? (uint64_t)next_sleb(b) : next_uleb(b));
    else
        v = (uintptr_t)(is_signed ? (uint64_t)next_signed(b, sizes[form]) : next_number(b, sizes[form]));
    switch (encoding & 0x70) {
    case 0x00:
        return v;
    case 0x10:
        return v + here;
    case 0x30:
        return v + data;
    default:
        b->is_bad = true;
        return 0;
    }
}

/* ------------------------------------------------------------------ finding a function's description */

/* A function's FDE, with what it has from its CIE. */
struct description {
    uintptr_t start, code_factor;
    int64_t data_factor;
    unsigned return_register;
    bool is_signal_frame;
    struct bytes common, own; /* instructions */
};

/* The table of .eh_frame_hdr is sorted: pairs of a function's address and that of its FDE, relative to the header. */
static const unsigned char *find_entry(const struct dsn_object *o, uintptr_t at)
{
    const uintptr_t data = (uintptr_t)o->unwind_tables;
    struct bytes b = { o->unwind_tables, (const unsigned char *)o->end, false };
    const unsigned version = (unsigned)next_number(&b, 1), frame = (unsigned)next_number(&b, 1),
                   count = (unsigned)next_number(&b, 1), table = (unsigned)next_number(&b, 1);
    size_t low = 0, high;
    int32_t pair[2];

    next_pointer(&b, frame, data);
    high = next_pointer(&b, count, data);
    if (b.is_bad || version != 1 || table != 0x3b || high > (size_t)(b.end - b.at) / sizeof pair)
        return NULL;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        memcpy(pair, b.at + middle * sizeof pair, sizeof pair);
        if (data + (uintptr_t)(intptr_t)pair[0] <= at)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    memcpy(pair, b.at + (low - 1) * sizeof pair, sizeof pair);
    return o->unwind_tables + pair[1];
}

/* What follows the length of an entry; empty if it is none. */
static struct bytes entry_at(const struct dsn_object *o, const unsigned char *at)
{
    const unsigned char *const end = (const unsigned char *)o->end;
    struct bytes b = { at, end, false };
    uint64_t length;

    if ((uintptr_t)at - o->start >= o->end - o->start)
        return (struct bytes){ end, end, true };
    length = next_number(&b, 4);
    if (length == 0xffffffff)
        length = next_number(&b, 8);
    if (length == 0 || length > (size_t)(b.end - b.at))
        return (struct bytes){ end, end, true };
    b.end = b.at + length;
    return b;
}

/* Returns how the FDE's addresses are encoded; 0xff: it is not understood. */
static unsigned read_common(const struct dsn_object *o, const unsigned char *cie, struct description *d)
{
    struct bytes b = entry_at(o, cie), data;
    const bool is_common = next_number(&b, 4) == 0;
    const unsigned version = (unsigned)next_number(&b, 1);
    const char *const augmentation = (const char *)b.at;
    const unsigned char *const nul = memchr(b.at, 0, (size_t)(b.end - b.at));
    unsigned encoding = 0;

    if (b.is_bad || !is_common || !nul || (version != 1 && version != 3) || augmentation[0] != 'z')
        return 0xff;
    b.at = nul + 1;
    d->code_factor = (uintptr_t)next_uleb(&b);
    d->data_factor = next_sleb(&b);
    d->return_register = (unsigned)(version == 1 ? next_number(&b, 1) : next_uleb(&b));
    data = next_block(&b);
    for (const char *c = augmentation + 1; *c && !data.is_bad; c++)
        switch (*c) {
        case 'R':
            encoding = (unsigned)next_number(&data, 1);
            break;
        case 'L':
            next_number(&data, 1);
            break;
        case 'P':
            next_pointer(&data, (unsigned)next_number(&data, 1) & 0x7f, 0);
            break;
        case 'S':
            d->is_signal_frame = true;
            break;
        case 'B':
            break; /* which key signs return addresses */
        default:
            return 0xff;
        }
    d->common = b;
    return b.is_bad || data.is_bad || d->return_register >= DSN_UNWIND_NUMBERS ? 0xff : encoding;
}

static bool describe(const struct dsn_object *o, uintptr_t at, struct description *d)
{
    const unsigned char *const entry = o->unwind_tables ? find_entry(o, at) : NULL;
    struct bytes b = entry_at(o, entry ? entry : (const unsigned char *)o->end);
    const unsigned char *const here = b.at;
    const uint64_t back = next_number(&b, 4);
    unsigned encoding;
    uintptr_t size;

    *d = (struct description){ 0 };
    if (b.is_bad || back == 0 || back > (uintptr_t)here - o->start)
        return false;
    encoding = read_common(o, here - back, d);
    if (encoding == 0xff)
        return false;
    d->start = next_pointer(&b, encoding, 0);
    size = next_pointer(&b, encoding & 0x0f, 0);
    next_block(&b);
    d->own = b;
    return !b.is_bad && at - d->start < size;
}

/* ------------------------------------------------------------------ where registers are */

enum kind { SAME, UNDEFINED, AT_OFFSET, IS_OFFSET, IN_REGISTER, AT_EXPRESSION, IS_EXPRESSION };

/* Expressions by how far they are from the end of the object: few bytes, for the stack may be small. */
struct place {
    uint32_t kind;
    int32_t value;
};

struct places {
    struct place frame; /* IN_REGISTER with the following, or IS_EXPRESSION */
    int32_t frame_offset;
    struct place of[DSN_UNWIND_NUMBERS];
};

struct run {
    const struct description *d;
    const struct dsn_object *o;
    uintptr_t target;
    struct places now, first, kept[REMEMBERED];
    unsigned nkept;
};

static void put_place(struct run *r, uint64_t reg, enum kind kind, int64_t value, struct bytes *b)
{
    if (value != (int32_t)value)
        b->is_bad = true;
    else if (reg < DSN_UNWIND_NUMBERS)
        r->now.of[reg] = (struct place){ kind, (int32_t)value };
}

static int64_t next_expression(struct run *r, struct bytes *b)
{
    const unsigned char *const at = b->at;

    next_block(b);
    return (int64_t)(r->o->end - (uintptr_t)at);
}

static void put_frame(struct run *r, enum kind kind, int64_t value, int64_t offset, struct bytes *b)
{
    if (value != (int32_t)value || offset != (int32_t)offset ||
        (kind == IN_REGISTER && (uint64_t)value >= DSN_UNWIND_NUMBERS))
        b->is_bad = true;
    r->now.frame = (struct place){ kind, (int32_t)value };
    r->now.frame_offset = (int32_t)offset;
}

static int64_t scaled(const struct run *r, uint64_t v)
{
    return (int64_t)(v * (uint64_t)r->d->data_factor);
}

/* Instructions of the tables: DWARF 5, table 7.29; those of GNU: LSB. */
enum {
    CFA_NOP = 0x00,
    CFA_SET_LOC,
    CFA_ADVANCE_LOC1,
    CFA_ADVANCE_LOC2,
    CFA_ADVANCE_LOC4,
    CFA_OFFSET_EXTENDED,
    CFA_RESTORE_EXTENDED,
    CFA_UNDEFINED,
    CFA_SAME_VALUE,
    CFA_REGISTER,
    CFA_REMEMBER_STATE,
    CFA_RESTORE_STATE,
    CFA_DEF_CFA,
    CFA_DEF_CFA_REGISTER,
    CFA_DEF_CFA_OFFSET,
    CFA_DEF_CFA_EXPRESSION,
    CFA_EXPRESSION,
    CFA_OFFSET_EXTENDED_SF,
    CFA_DEF_CFA_SF,
    CFA_DEF_CFA_OFFSET_SF,
    CFA_VAL_OFFSET,
    CFA_VAL_OFFSET_SF,
    CFA_VAL_EXPRESSION,
    CFA_NEGATE_RA_STATE = 0x2d,
    CFA_GNU_ARGS_SIZE,
    CFA_GNU_NEGATIVE_OFFSET,
    CFA_ADVANCE_LOC = 1, /* these in the upper two bits */
    CFA_OFFSET = 2,
    CFA_RESTORE = 3
};

/* An instruction that says where something is. */
static void follow(struct run *r, unsigned code, struct bytes *b)
{
    uint64_t reg;

    switch (code) {
    case CFA_NOP:
        return;
    case CFA_OFFSET_EXTENDED:
        reg = next_uleb(b);
        put_place(r, reg, AT_OFFSET, scaled(r, next_uleb(b)), b);
        return;
    case CFA_RESTORE_EXTENDED:
        reg = next_uleb(b);
        if (reg < DSN_UNWIND_NUMBERS)
            r->now.of[reg] = r->first.of[reg];
        return;
    case CFA_UNDEFINED:
        put_place(r, next_uleb(b), UNDEFINED, 0, b);
        return;
    case CFA_SAME_VALUE:
        put_place(r, next_uleb(b), SAME, 0, b);
        return;
    case CFA_REGISTER:
        reg = next_uleb(b);
        put_place(r, reg, IN_REGISTER, (int64_t)next_uleb(b), b);
        return;
    case CFA_REMEMBER_STATE:
        if (r->nkept < REMEMBERED)
            r->kept[r->nkept++] = r->now;
        else
            b->is_bad = true;
        return;
    case CFA_RESTORE_STATE:
        if (r->nkept > 0)
            r->now = r->kept[--r->nkept];
        else
            b->is_bad = true;
        return;
    case CFA_DEF_CFA:
        reg = next_uleb(b);
        put_frame(r, IN_REGISTER, (int64_t)reg, (int64_t)next_uleb(b), b);
        return;
    case CFA_DEF_CFA_REGISTER:
        put_frame(r, IN_REGISTER, (int64_t)next_uleb(b), r->now.frame_offset, b);
        return;
    case CFA_DEF_CFA_OFFSET:
        put_frame(r, IN_REGISTER, r->now.frame.value, (int64_t)next_uleb(b), b);
        return;
    case CFA_DEF_CFA_EXPRESSION:
        put_frame(r, IS_EXPRESSION, next_expression(r, b), 0, b);
        return;
    case CFA_EXPRESSION:
        reg = next_uleb(b);
        put_place(r, reg, AT_EXPRESSION, next_expression(r, b), b);
        return;
    case CFA_OFFSET_EXTENDED_SF:
        reg = next_uleb(b);
        put_place(r, reg, AT_OFFSET, scaled(r, (uint64_t)next_sleb(b)), b);
        return;
    case CFA_DEF_CFA_SF:
        reg = next_uleb(b);
        put_frame(r, IN_REGISTER, (int64_t)reg, scaled(r, (uint64_t)next_sleb(b)), b);
        return;
    case CFA_DEF_CFA_OFFSET_SF:
        put_frame(r, IN_REGISTER, r->now.frame.value, scaled(r, (uint64_t)next_sleb(b)), b);
        return;
    case CFA_VAL_OFFSET:
        reg = next_uleb(b);
        put_place(r, reg, IS_OFFSET, scaled(r, next_uleb(b)), b);
        return;
    case CFA_VAL_OFFSET_SF:
        reg = next_uleb(b);
        put_place(r, reg, IS_OFFSET, scaled(r, (uint64_t)next_sleb(b)), b);
        return;
    case CFA_VAL_EXPRESSION:
        reg = next_uleb(b);
        put_place(r, reg, IS_EXPRESSION, next_expression(r, b), b);
        return;
#ifdef __aarch64__
    case CFA_NEGATE_RA_STATE:
        return; /* return addresses are signed: see without_signature */
#endif
    case CFA_GNU_ARGS_SIZE:
        next_uleb(b);
        return; /* size of arguments */
    case CFA_GNU_NEGATIVE_OFFSET:
        reg = next_uleb(b);
        put_place(r, reg, AT_OFFSET, scaled(r, -next_uleb(b)), b);
        return;
    default:
        b->is_bad = true;
    }
}

/* Instructions up to those of the target. */
static bool run_instructions(struct run *r, struct bytes b)
{
    uintptr_t location = r->d->start;

    while (b.at < b.end && !b.is_bad) {
        const unsigned code = (unsigned)next_number(&b, 1), high = code >> 6, low = code & 0x3f;
        uintptr_t forward = 0;

        if (high == CFA_ADVANCE_LOC)
            forward = low;
        else if (high == CFA_OFFSET)
            put_place(r, low, AT_OFFSET, scaled(r, next_uleb(&b)), &b);
        else if (high == CFA_RESTORE && low < DSN_UNWIND_NUMBERS)
            r->now.of[low] = r->first.of[low];
        else if (high == 0 && code >= CFA_ADVANCE_LOC1 && code <= CFA_ADVANCE_LOC4)
            forward = (uintptr_t)next_number(&b, (size_t)1 << (code - CFA_ADVANCE_LOC1));
        else if (high == 0)
            follow(r, code, &b); /* which does not know CFA_SET_LOC: nothing makes it */
        location += forward * r->d->code_factor;
        if (location > r->target)
            break;
    }
    return !b.is_bad;
}

/* ------------------------------------------------------------------ expressions */

static bool push(uintptr_t *stack, unsigned *n, uintptr_t v)
{
    if (*n == DEPTH)
        return false;
    stack[(*n)++] = v;
    return true;
}

/* Operations of the expressions that compilers, linkers and the kernel's signal frames have: DWARF 5, table 7.9. */
enum {
    OP_DEREF = 0x06,
    OP_CONST1U = 0x08, /* then 1S, 2U ... */
    OP_CONST8S = 0x0f,
    OP_CONSTU,
    OP_CONSTS,
    OP_AND = 0x1a,
    OP_MINUS = 0x1c,
    OP_PLUS = 0x22,
    OP_PLUS_UCONST,
    OP_SHL,
    OP_GE = 0x2a,
    OP_LIT0 = 0x30,
    OP_BREG0 = 0x70
};

static bool evaluate(struct dsn_unwinding *u, const struct dsn_object *o, int32_t from_end, uintptr_t *stack,
                     unsigned n, uintptr_t *out)
{
    struct bytes all = { (const unsigned char *)o->end - (uint32_t)from_end, (const unsigned char *)o->end, false };
    struct bytes b = next_block(&all);
    bool ok = !b.is_bad;

    while (ok && b.at < b.end) {
        const unsigned code = (unsigned)next_number(&b, 1);

        if (code >= OP_LIT0 && code < OP_LIT0 + 32) {
            ok = push(stack, &n, code - OP_LIT0);
        } else if (code >= OP_BREG0 && code < OP_BREG0 + 32) {
            const unsigned reg = code - OP_BREG0;

            ok = reg < DSN_UNWIND_NUMBERS && push(stack, &n, u->reg[reg] + (uintptr_t)next_sleb(&b));
        } else if (code == OP_DEREF) {
            ok = n > 0 && read_word(u, stack[n - 1], &stack[n - 1]);
        } else if (code >= OP_CONST1U && code <= OP_CONST8S) {
            const size_t size = (size_t)1 << (code - OP_CONST1U) / 2;

            ok = push(stack, &n, (uintptr_t)(code % 2 ? (uint64_t)next_signed(&b, size) : next_number(&b, size)));
        } else if (code == OP_CONSTU || code == OP_CONSTS) {
            ok = push(stack, &n, (uintptr_t)(code == OP_CONSTU ? next_uleb(&b) : (uint64_t)next_sleb(&b)));
        } else if (code == OP_PLUS_UCONST) {
            ok = n > 0;
            if (ok)
                stack[n - 1] += (uintptr_t)next_uleb(&b);
        } else if (n >= 2) {
            const uintptr_t y = stack[n - 1], x = stack[n - 2];

            n--;
            switch (code) {
            case OP_AND:
                stack[n - 1] = x & y;
                break;
            case OP_MINUS:
                stack[n - 1] = x - y;
                break;
            case OP_PLUS:
                stack[n - 1] = x + y;
                break;
            case OP_SHL:
                stack[n - 1] = y < 64 ? x << y : 0;
                break;
            case OP_GE:
                stack[n - 1] = (intptr_t)x >= (intptr_t)y;
                break;
            default:
                ok = false;
            }
        } else {
            ok = false;
        }
        ok = ok && !b.is_bad;
    }
    if (!ok || n == 0)
        return false;
    *out = stack[n - 1];
    return true;
}

/* ------------------------------------------------------------------ a step */

/* Registers of the caller. `at_place`: where on the stack the return address lies. */
static bool restore(struct dsn_unwinding *u, const struct run *r, uintptr_t frame, uintptr_t caller[DSN_UNWIND_NUMBERS])
{
    u->at_place = 0;
    for (unsigned i = 0; i < DSN_UNWIND_NUMBERS; i++) {
        const struct place p = r->now.of[i];
        uintptr_t stack[DEPTH] = { frame }, where = frame + (uintptr_t)(intptr_t)p.value;

        caller[i] = i == DSN_UNWIND_SP ? frame : u->reg[i];
        switch (p.kind) {
        case SAME:
            continue;
        case UNDEFINED:
            caller[i] = 0;
            continue;
        case IS_OFFSET:
            caller[i] = where;
            continue;
        case IN_REGISTER:
            caller[i] = (uint32_t)p.value < DSN_UNWIND_NUMBERS ? u->reg[p.value] : 0;
            continue;
        case IS_EXPRESSION:
            if (!evaluate(u, r->o, p.value, stack, 1, &caller[i]))
                return false;
            continue;
        case AT_EXPRESSION:
            if (!evaluate(u, r->o, p.value, stack, 1, &where))
                return false;
        }
        if (!read_word(u, where, &caller[i]))
            return false;
        if (i == r->d->return_register)
            u->at_place = where;
    }
    return true;
}

/* Addresses of programs have 48 bits, or 52 where the kernel is asked for that; above are those of a signature. */
static uintptr_t without_signature(uintptr_t address)
{
#ifdef __aarch64__
    return address & (((uintptr_t)1 << 48) - 1);
#else
    return address;
#endif
}

static bool find_frame(struct dsn_unwinding *u, const struct run *r, uintptr_t *frame)
{
    uintptr_t stack[DEPTH];

    if (r->now.frame.kind == IS_EXPRESSION)
        return evaluate(u, r->o, r->now.frame.value, stack, 0, frame);
    *frame = u->reg[r->now.frame.value] + (uintptr_t)(intptr_t)r->now.frame_offset;
    return r->now.frame.kind == IN_REGISTER;
}

bool dsn__unwind_step(struct dsn_unwinding *u)
{
    const uintptr_t at = u->at - !u->is_interrupted;
    uintptr_t frame, caller[DSN_UNWIND_NUMBERS];
    struct description d;
    struct run r = { .d = &d, .o = &u->object, .target = UINTPTR_MAX };

    if (at < u->object.start || at >= u->object.end) {
        u->object.end = 0;
        if (!dsn__object_at(at, &u->object))
            return false;
    }
    if (!describe(&u->object, at, &d) || !run_instructions(&r, d.common))
        return false;
    r.first = r.now;
    r.target = at;
    if (!run_instructions(&r, d.own) || !find_frame(u, &r, &frame) || !restore(u, &r, frame, caller))
        return false;
    if (!d.is_signal_frame && frame < u->reg[DSN_UNWIND_SP]) /* it would go round in circles */
        return false;
    memcpy(u->reg, caller, sizeof caller);
    u->at = without_signature(caller[d.return_register]);
    u->is_interrupted = d.is_signal_frame;
    return u->at != 0;
}

/* The first thread's ends where the kernel has put random bytes, others at their own data, which the C library puts there. */
uintptr_t dsn__stack_end(bool is_of_first_thread)
{
    uintptr_t own;

#ifdef __x86_64__
    __asm__("movq %%fs:0, %0" : "=r"(own));
#else
    __asm__("mrs %0, tpidr_el0" : "=r"(own));
#endif
    return is_of_first_thread ? getauxval(AT_RANDOM) : own;
}

#else

uintptr_t dsn__stack_end(bool is_of_first_thread)
{
    (void)is_of_first_thread;
    return 0;
}

bool dsn__unwind_step(struct dsn_unwinding *u)
{
    (void)u;
    return false;
}

#endif
