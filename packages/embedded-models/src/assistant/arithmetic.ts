const MAX_LENGTH = 300;
const MAX_DEPTH = 40;

const FUNCTIONS: Record<string, (x: number) => number> = {
  sqrt: Math.sqrt,
  cbrt: Math.cbrt,
  abs: Math.abs,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  ln: Math.log,
  log: Math.log10,
  log2: Math.log2,
  log10: Math.log10,
  exp: Math.exp,
  floor: Math.floor,
  ceil: Math.ceil,
  round: Math.round,
};
const CONSTANTS: Record<string, number> = { pi: Math.PI, e: Math.E, tau: 2 * Math.PI };

const WORDS: [RegExp, string][] = [
  [/\bto the power of\b/gi, '^'],
  [/\bsquare root of\s*(\d+(?:\.\d+)?)/gi, 'sqrt($1)'],
  [/\bsquare root of\b/gi, 'sqrt'],
  [/\bsquared\b/gi, '^2'],
  [/\bcubed\b/gi, '^3'],
  [/\bplus\b/gi, '+'],
  [/\bminus\b/gi, '-'],
  [/\b(?:times|multiplied by)\b/gi, '*'],
  [/\b(?:divided by|over)\b/gi, '/'],
  [/\bmod(?:ulo)?\b/gi, '%'],
  [/(\d)\s*(?:%|percent)\s+of\b/gi, '$1 / 100 *'],
  [/\bpercent\b/gi, '%'],
  [/([\d)])\s*of\b/gi, '$1 *'],
  [/([\d)])\s*x\s*(?=[\d(.])/gi, '$1 * '],
  [/[×·]/g, '*'],
  [/÷/g, '/'],
  [/[−–]/g, '-'],
  [/\*\*/g, '^'],
  [/π/g, 'pi'],
  // Digit groups: functions take one argument, so a comma has no other meaning.
  [/(\d),(?=\d{3}(?:\D|$))/g, '$1'],
];

const TOKEN = /\s*(?:(\d+(?:\.\d+)?(?:e[+-]?\d+)?|\.\d+)|([a-z]+\d*)|([-+*/^%()]))/iy;

type Token = { number: number } | { name: string } | { symbol: string };

/** Thrown for arithmetic that has no result. Its message is shown to the user. */
export class ArithmeticError extends Error {}

/**
 * Evaluates arithmetic in symbols or English words.
 *
 * @returns the expression as it was read and its value; null if the text is not arithmetic
 * @throws ArithmeticError if there is no result, such as for a division by zero
 */
export function evaluate(text: string): { expression: string; value: number } | null {
  if (text.length > MAX_LENGTH) return null;
  let expression = text;
  for (const [pattern, replacement] of WORDS) expression = expression.replace(pattern, replacement);
  expression = expression.trim();
  const tokens = tokenize(expression);
  if (tokens === null || !tokens.some((token) => 'number' in token || 'name' in token)) return null;
  // A lone number or name is not a question.
  if (tokens.length < 2) return null;
  const value = parse(tokens);
  return value === null ? null : { expression: expression.replace(/\s+/g, ' '), value };
}

/** Formats a result: `= 0.3`, or `≈ 0.333333333333` if more than 12 digits are needed. */
export function formatResult(value: number): string {
  if (Number.isSafeInteger(value)) return `= ${value}`;
  const rounded = Number(value.toPrecision(12));
  // Drops digits that only come from binary fractions, as in 0.1 + 0.2.
  const exact = Math.abs(rounded - value) <= 4 * Number.EPSILON * Math.abs(value) && Math.abs(value) < 2 ** 53;
  return `${exact ? '=' : '≈'} ${rounded}`;
}

function tokenize(expression: string): Token[] | null {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < expression.length) {
    const match = TOKEN.exec(expression);
    if (match === null) return null;
    const [, number, name, symbol] = match;
    if (number !== undefined) tokens.push({ number: Number(number) });
    else if (name !== undefined) {
      const lower = name.toLowerCase();
      if (!Object.hasOwn(FUNCTIONS, lower) && !Object.hasOwn(CONSTANTS, lower)) return null;
      tokens.push({ name: lower });
    } else tokens.push({ symbol: symbol ?? '' });
  }
  return tokens;
}

/** Parses by recursive descent: sum → product → unary → power → atom. Null if tokens are left. */
function parse(tokens: Token[]): number | null {
  let at = 0;
  let depth = 0;
  const symbol = () => {
    const token = tokens[at];
    return token !== undefined && 'symbol' in token ? token.symbol : null;
  };

  const sum = (): number => {
    let value = product();
    for (let operator = symbol(); operator === '+' || operator === '-'; operator = symbol()) {
      at += 1;
      const right = product();
      value = operator === '+' ? value + right : value - right;
    }
    return value;
  };
  const product = (): number => {
    let value = unary();
    for (let operator = symbol(); operator === '*' || operator === '/' || operator === '%'; operator = symbol()) {
      at += 1;
      const right = unary();
      if (operator !== '*' && right === 0) throw new ArithmeticError('Dividing by zero has no result.');
      value = operator === '*' ? value * right : operator === '/' ? value / right : value % right;
    }
    return value;
  };
  const unary = (): number => {
    const operator = symbol();
    if (operator !== '-' && operator !== '+') return power();
    at += 1;
    return nested(() => (operator === '-' ? -unary() : unary()));
  };
  const power = (): number => {
    const base = atom();
    if (symbol() !== '^') return base;
    at += 1;
    return nested(() => base ** unary());
  };
  const atom = (): number => {
    const token = tokens[at];
    at += 1;
    if (token === undefined) throw new NotArithmetic();
    if ('number' in token) return percent(token.number);
    if ('name' in token) {
      const constant = CONSTANTS[token.name];
      if (constant !== undefined) return constant;
      const apply = FUNCTIONS[token.name];
      if (apply === undefined || symbol() !== '(') throw new NotArithmetic();
      return apply(atom());
    }
    if (token.symbol !== '(') throw new NotArithmetic();
    const value = nested(sum);
    if (symbol() !== ')') throw new NotArithmetic();
    at += 1;
    return percent(value);
  };
  /** Reads `%` as percent before an operator, a bracket or the end, else as the remainder. */
  const percent = (value: number): number => {
    if (symbol() !== '%') return value;
    const next = tokens[at + 1];
    if (next !== undefined && !('symbol' in next && next.symbol !== '(' && next.symbol !== '-')) return value;
    at += 1;
    return value / 100;
  };
  const nested = (read: () => number): number => {
    depth += 1;
    if (depth > MAX_DEPTH) throw new NotArithmetic();
    const value = read();
    depth -= 1;
    return value;
  };

  try {
    const value = sum();
    if (at !== tokens.length) return null;
    if (Number.isNaN(value)) throw new ArithmeticError('That has no real result.');
    if (!Number.isFinite(value)) throw new ArithmeticError('The result is too large for me.');
    return value;
  } catch (error) {
    if (error instanceof NotArithmetic) return null;
    throw error;
  }
}

class NotArithmetic extends Error {}
