// What stands in manuals, examples and keyboards.
const FAMILIAR =
  /secret|password|passwort|changeme|change[-_ ]?(?:me|this)|example|default|letmein|qwert|asdf|admin|token|test|foobar|12345|abcde|openssl rand|\$\(/i;
const ENOUGH_BITS = 80;

/** Why somebody could guess a secret; undefined when nothing speaks for it. The answer does not repeat the secret. */
export function secretWeakness(secret: string): string | undefined {
  if (/\$\(|openssl rand/.test(secret)) return 'is a command that nobody ran';
  if (FAMILIAR.test(secret)) return 'holds a word or a sequence that is tried first';
  if (repeatsItself(secret)) return 'repeats itself';
  if (bitsOf(secret) < ENOUGH_BITS) return 'has too few different characters';
  return undefined;
}

function repeatsItself(secret: string): boolean {
  const periods = Array.from({ length: Math.floor(secret.length / 2) }, (_, index) => index + 1);
  return periods.some((period) => secret.slice(period) === secret.slice(0, -period));
}

/** The bits that a secret would have, had each character been drawn as often as it stands there: never too few. */
function bitsOf(secret: string): number {
  const counts = new Map<string, number>();
  for (const character of secret) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= count * Math.log2(count / secret.length);
  return bits;
}
