import { asciiDigits } from '../src/catalogue/places/positions.js';

const RUN = /[([]?\+? ?[([]?\d[\d ().\-/[\]]*/g;
// "(0)" is for calls within the country.
const INLAND_ZERO = /((?:\+|\b00) ?\d{1,3}\)?[ \-.]*)[([] ?0 ?[)\]]/g;
const EXTENSION =
  /^[ ,;.([]*(?:ext(?:ension)?|durchwahl|dw|poste|interno|int|ramal|anexo|toestel|tst|доб|x|#|内線|分机|내선|تحويلة)[ .:=-]*(\d{1,7})/iu;
// A word in place of digits, as in 1-800-FLOWERS and 555-555-FOOD.
const VANITY = /(?<!\d)(\+?(?:1[-. ]?)?\(?(?:8\d\d\)?[-. ]|\d{3}\)?[-. ]\d{3}-))([A-Z][A-Z-]{3,}\d*)(?!\w)/g;
const KEYS = ['ABC', 'DEF', 'GHI', 'JKL', 'MNO', 'PQRS', 'TUV', 'WXYZ'];

const digitsOf = (text: string) => text.replace(/\D/g, '');

/** The link that calls the first number in a text, with its extension; undefined if there is none. */
export function phoneHref(text: string) {
  const plain = asciiDigits(text)
    .replace(/\p{Cf}/gu, '')
    .replace(/[‐-―−]/g, '-')
    .replace(/[\n\r]/g, ';')
    .replace(/\s/g, ' ')
    // A spreadsheet made a decimal number of it.
    .replace(/(?<=\d{7})\.0$/, '')
    .replace(VANITY, dialled)
    .replace(INLAND_ZERO, '$1');
  const numbers = [...plain.matchAll(RUN)].map(({ 0: run, index }) => {
    const first = firstNumber(run);
    const behind = first === run ? EXTENSION.exec(plain.slice(index + run.length)) : undefined;
    return { digits: digitsOf(first), plus: run.includes('+') ? '+' : '', extension: behind?.[1] };
  });
  const callable = numbers.filter(({ digits }) => digits.length >= 3 && digits.length <= 15);
  // Hours or a floor may stand in front of the number.
  const number = callable.find(({ digits }) => digits.length > 4) ?? callable[0];
  return number && `tel:${number.plus}${number.digits}${number.extension ? `;ext=${number.extension}` : ''}`;
}

/** The first of several numbers that nothing but blanks, dashes and slashes separates. */
function firstNumber(run: string) {
  let first = '';
  for (const part of run.split(/(?=\/| - )/)) {
    const before = digitsOf(first);
    // A slash and a dash stand behind an area code as well, which is short and starts with 0 or a plus sign.
    const isArea = before.length <= (run.includes('+') ? 7 : 5) && /^[ ([]*[+0]/.test(first);
    const isDash = part.startsWith(' - ') && !/^ - \(?0/.test(part);
    if (first !== '' && !isArea && !isDash) break;
    first += part;
  }
  if (digitsOf(first).length <= 15) return first;
  const second = [...first.matchAll(/ \(?0/g)].find(
    ({ index }) => digitsOf(first.slice(0, index)).length > 5,
  );
  return first.slice(0, second?.index);
}

/** A number with a word, in digits: no longer than a number of its country can be. */
function dialled(_all: string, before: string, word: string) {
  const digits = word.replace(/[A-Z]/g, (letter) =>
    String(2 + KEYS.findIndex((letters) => letters.includes(letter))),
  );
  const most = /^\+?1/.test(before) ? 11 : 10;
  return before + digitsOf(digits).slice(0, most - digitsOf(before).length);
}
