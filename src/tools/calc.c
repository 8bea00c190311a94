/*
 * calc: arithmetic that a model need not do in its head (agent-tools §3.27). Doubles, as JavaScript
 * has them, and written as JavaScript writes them.
 */
#include "tool/tool.h"
#include "tools/tools.h"

#include <math.h>

#define MAX_CALCULATIONS 100
#define MAX_BYTES        10000 // of one expression
#define MAX_DEPTH        200   // of parentheses, signs and powers in one another
#define MAX_DIGITS       17    // that tell any two doubles apart

typedef struct CalcArgs {
    const json_t *calculations;
} CalcArgs;

static const FieldDef calculation_fields[] = {
    { "expression", FIELD_STRING, .is_required = true,
      .help = "Numbers, + - * / % **, parentheses" },
    { "prefix", FIELD_STRING, .help = "Text before the value" },
    { "suffix", FIELD_STRING },
    { 0 },
};

static const FieldDef calc_fields[] = {
    { "calculations", FIELD_OBJECT_LIST, offsetof(CalcArgs, calculations), .is_required = true,
      .item_fields = calculation_fields, .min_items = 1, .max_items = MAX_CALCULATIONS },
    { 0 },
};

typedef enum { TOKEN_NUMBER, TOKEN_OPERATOR, TOKEN_POWER, TOKEN_END } TokenKind;

typedef struct Token {
    TokenKind kind;
    double value;
    char sign;
} Token;

typedef struct Parser {
    GArray *tokens; // of Token, TOKEN_END last
    unsigned at;
    unsigned depth;
    GError **error;
} Parser;

static int base_of(const char *text)
{
    if (text[0] != '0')
        return 10;
    switch (g_ascii_tolower(text[1])) {
    case 'x':
        return 16;
    case 'o':
        return 8;
    case 'b':
        return 2;
    default:
        return 10;
    }
}

/* The digits of a number in another base; NULL when there are none. */
static const char *read_based(const char *text, int base, double *ret_value)
{
    const char *at = text + 2;
    double value = 0;
    for (int digit; (digit = g_ascii_xdigit_value(*at)) >= 0 && digit < base; at++)
        value = value * base + digit;
    *ret_value = value;
    return at > text + 2 ? at : NULL;
}

static const char *skip_digits(const char *text)
{
    while (g_ascii_isdigit(*text))
        text++;
    return text;
}

/* Its end; NULL: no number begins here. */
static const char *read_number(const char *text, double *ret_value)
{
    if (base_of(text) != 10)
        return read_based(text, base_of(text), ret_value);
    const char *end = skip_digits(text);
    bool has_digits = end > text;
    if (*end == '.') {
        const char *fraction = skip_digits(end + 1);
        has_digits = has_digits || fraction > end + 1;
        end = fraction;
    }
    if (!has_digits)
        return NULL;
    if (*end == 'e' || *end == 'E') {
        const char *sign = end[1] == '+' || end[1] == '-' ? end + 2 : end + 1;
        const char *exponent = skip_digits(sign);
        end = exponent > sign ? exponent : end;
    }
    g_autofree char *digits = g_strndup(text, (size_t)(end - text));
    *ret_value = g_ascii_strtod(digits, NULL);
    return end;
}

static bool read_token(const char **text, Token *ret_token, GError **error)
{
    const char *at = *text;
    *ret_token = (Token) { .kind = TOKEN_OPERATOR, .sign = *at };
    if (g_ascii_isdigit(*at) || *at == '.') {
        ret_token->kind = TOKEN_NUMBER;
        const char *end = read_number(at, &ret_token->value);
        if (end) {
            *text = end;
            return true;
        }
    } else if (strchr("+-*/%()", *at)) {
        bool is_power = at[0] == '*' && at[1] == '*';
        ret_token->kind = is_power ? TOKEN_POWER : TOKEN_OPERATOR;
        *text = at + (is_power ? 2 : 1);
        return true;
    }
    g_autofree char *character = g_utf8_substring(at, 0, 1);
    return fail_with(error, KEDGE_ERROR_USAGE, "Invalid character \"%s\" in expression", character);
}

static bool read_tokens(const char *text, GArray *tokens, GError **error)
{
    while (*text) {
        if (g_ascii_isspace(*text)) {
            text++;
            continue;
        }
        Token token;
        if (!read_token(&text, &token, error))
            return false;
        g_array_append_val(tokens, token);
    }
    const Token end = { .kind = TOKEN_END };
    if (tokens->len == 0)
        return fail_with(error, KEDGE_ERROR_USAGE, "Expression is empty");
    g_array_append_val(tokens, end);
    return true;
}

static const Token *parser_peek(const Parser *self)
{
    return &g_array_index(self->tokens, Token, self->at);
}

/* Is the next token one of these? Then it is taken. */
static char take_operator(Parser *self, const char *operators)
{
    const Token *token = parser_peek(self);
    if (token->kind != TOKEN_OPERATOR || !strchr(operators, token->sign))
        return '\0';
    self->at++;
    return token->sign;
}

static bool parse_sum(Parser *self, double *ret_value);
static bool parse_signed(Parser *self, double *ret_value);

static bool parse_primary(Parser *self, double *ret_value)
{
    const Token *token = parser_peek(self);
    if (token->kind == TOKEN_NUMBER) {
        self->at++;
        *ret_value = token->value;
        return true;
    }
    if (take_operator(self, "(")) {
        if (!parse_sum(self, ret_value))
            return false;
        if (!take_operator(self, ")"))
            return fail_with(self->error, KEDGE_ERROR_USAGE, "Missing closing parenthesis");
        return true;
    }
    return fail_with(self->error, KEDGE_ERROR_USAGE,
                     token->kind == TOKEN_END ? "Unexpected end of expression"
                                              : "Unexpected token in expression");
}

static double calc_power(double base, double exponent)
{
    return isinf(exponent) && fabs(base) == 1 ? NAN : pow(base, exponent);
}

static bool parse_power(Parser *self, double *ret_value)
{
    double base, exponent;
    if (!parse_primary(self, &base))
        return false;
    *ret_value = base;
    if (parser_peek(self)->kind != TOKEN_POWER)
        return true;
    self->at++;
    if (!parse_signed(self, &exponent))
        return false;
    *ret_value = calc_power(base, exponent);
    return true;
}

/* A sign binds looser than a power: -2 ** 2 is -4. */
static bool parse_signed(Parser *self, double *ret_value)
{
    if (self->depth == MAX_DEPTH)
        return fail_with(self->error, KEDGE_ERROR_LIMIT, "Expression is nested too deeply");
    self->depth++;
    char sign = take_operator(self, "+-");
    bool is_parsed = sign ? parse_signed(self, ret_value) : parse_power(self, ret_value);
    self->depth--;
    if (is_parsed && sign == '-')
        *ret_value = -*ret_value;
    return is_parsed;
}

static bool parse_product(Parser *self, double *ret_value)
{
    double value, right;
    if (!parse_signed(self, &value))
        return false;
    for (char sign; (sign = take_operator(self, "*/%"));) {
        if (!parse_signed(self, &right))
            return false;
        value = sign == '*' ? value * right : sign == '/' ? value / right : fmod(value, right);
    }
    *ret_value = value;
    return true;
}

static bool parse_sum(Parser *self, double *ret_value)
{
    double value, right;
    if (!parse_product(self, &value))
        return false;
    for (char sign; (sign = take_operator(self, "+-"));) {
        if (!parse_product(self, &right))
            return false;
        value = sign == '+' ? value + right : value - right;
    }
    *ret_value = value;
    return true;
}

static bool calc_evaluate(const char *text, double *ret_value, GError **error)
{
    g_autoptr(GArray) tokens = g_array_new(FALSE, FALSE, sizeof(Token));
    if (strlen(text) > MAX_BYTES)
        return fail_with(error, KEDGE_ERROR_LIMIT, "Expression is longer than %d bytes", MAX_BYTES);
    if (!read_tokens(text, tokens, error))
        return false;
    Parser parser = { .tokens = tokens, .error = error };
    double value = 0;
    if (!parse_sum(&parser, &value))
        return false;
    if (parser_peek(&parser)->kind != TOKEN_END)
        return fail_with(error, KEDGE_ERROR_USAGE, "Unexpected token in expression");
    if (!isfinite(value))
        return fail_with(error, KEDGE_ERROR_FAILED, "Expression result is not a finite number");
    *ret_value = value;
    return true;
}

/* The fewest digits that give the same double, with the point where JavaScript puts it. */
static char *format_number(double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    if (value == 0)
        return g_strdup("0");
    for (int digits = 0; digits < MAX_DIGITS; digits++) {
        g_autofree char *format = g_strdup_printf("%%.%de", digits);
        g_ascii_formatd(text, sizeof(text), format, value);
        if (g_ascii_strtod(text, NULL) == value)
            break;
    }
    char *mark = strchr(text, 'e');
    int exponent = (int)g_ascii_strtoll(mark + 1, NULL, 10);
    *mark = '\0';
    if (exponent < -6 || exponent >= 21)
        return g_strdup_printf("%se%+d", text, exponent);

    bool is_negative = text[0] == '-';
    g_autoptr(GString) out = g_string_new(NULL);
    for (const char *at = text + (is_negative ? 1 : 0); *at; at++) {
        if (*at != '.')
            g_string_append_c(out, *at);
    }
    while (exponent >= 0 && out->len < (size_t)exponent + 1)
        g_string_append_c(out, '0');
    for (int i = exponent; i < 0; i++)
        g_string_prepend_c(out, '0');
    size_t whole = exponent >= 0 ? (size_t)exponent + 1 : 1;
    if (out->len > whole)
        g_string_insert_c(out, (gssize)whole, '.');
    return g_strconcat(is_negative ? "-" : "", out->str, NULL);
}

static bool calc_run(ToolCall *call G_GNUC_UNUSED, const void *args_, ToolResult *result,
                     GError **error)
{
    const CalcArgs *args = args_;
    g_autoptr(GString) text = g_string_new(NULL);
    json_each (args->calculations, i, each) {
        const char *prefix = json_get_text(each, "prefix");
        const char *suffix = json_get_text(each, "suffix");
        double value = 0;
        if (!calc_evaluate(json_get_text(each, "expression"), &value, error))
            return false;
        g_autofree char *number = format_number(value);
        g_string_append_printf(text, "%s%s%s%s", i > 0 ? "\n" : "", prefix ? prefix : "", number,
                               suffix ? suffix : "");
    }
    tool_result_add_text(result, text->str);
    return true;
}

const ToolDef tool_calc = {
    .name = "calc",
    .label = "Calc",
    .summary = "Calculate",
    .description = "Calculates arithmetic expressions, exactly as JavaScript does.",
    .effect = EFFECT_READ,
    .flags = TOOL_DISCOVERABLE,
    .fields = calc_fields,
    .args_size = sizeof(CalcArgs),
    .setting = "calc.enabled",
    .run = calc_run,
};
