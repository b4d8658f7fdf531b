// The search over operations.

// The word itself in the path counts more than in other names, a word that begins so less, and text that mentions it least.
const IN_PATH = 11;
const OWN = 10;
const BEGINNING = 6;
const WITHIN = 4;
const NEAR = 2;
const MENTIONED = 1;

/** The operations that hold every word of a text, those that have the words as their own first. */
export function findOperations(operations, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return operations
    .map((operation) => [operation, scoreOf(operation, words)])
    .filter(([, score]) => score > 0)
    .sort(([, one], [, other]) => other - one)
    .map(([operation]) => operation);
}

function scoreOf(operation, words) {
  const scores = words.map((word) => wordScore(operation, word));
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0);
}

function wordScore({ id, method, path, summary, tag, parameters, description }, word) {
  const names = [method, id, path, summary];
  const has = (name) => wordsOf(name).includes(singular(word));
  if (has(path)) return IN_PATH;
  if (names.some(has)) return OWN;
  if (names.some((name) => wordsOf(name).some((each) => each.startsWith(word)))) return BEGINNING;
  if (names.join(' ').toLowerCase().includes(word)) return WITHIN;
  const near = [tag, ...parameters.map(({ name }) => name)].join(' ').toLowerCase();
  if (near.includes(word)) return NEAR;
  return description.toLowerCase().includes(word) ? MENTIONED : 0;
}

/** The words of a name such as `listFoodTypes` or `/api/food-types`, in the singular. */
function wordsOf(name) {
  const spaced = name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase();
  return (spaced.match(/[\p{L}\p{N}]+/gu) ?? []).map(singular);
}

function singular(word) {
  return word.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
}
