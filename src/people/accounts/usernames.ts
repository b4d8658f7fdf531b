import { type Fields, MAX_UNCLEANED, firstCharacters, requiredTextField } from '../../kit/input/fields.ts';
import { sanitise } from '../../kit/input/sanitise.ts';
import { isOfOneScript, mostOfOneScript } from './scripts.ts';

/** Characters (code points) that a username may have (SPEC, "Limits"). */
export const USERNAME_MAX = 100;

// Characters that are blank: separators, and a Braille cell without dots.
const BLANK = String.raw`\p{Z}\u2800`;
// Characters that no reader sees, and those that no font has. Behind a symbol, a variation selector makes an emoji.
const UNSEEN = String.raw`(?!(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f])[\p{C}\p{Default_Ignorable_Code_Point}]`;
const FORBIDDEN = new RegExp(`(?! )[${BLANK}]|${UNSEEN}`, 'u');
const FAULT = 'holds invisible or look-alike characters';

/**
 * A username of 1 to 100 characters, sanitised and trimmed; absent, null and empty are faults. So are characters that
 * make one username look like another: those that are invisible, blanks but for single spaces, and letters of scripts
 * that are not written together (UTS #39 section 5.2, "Highly Restrictive").
 */
export function usernameField(fields: Fields, name: string): string {
  const raw = fields.values.get(name);
  // As it came: the sanitiser takes some of them out.
  if (typeof raw === 'string' && raw.length <= MAX_UNCLEANED && FORBIDDEN.test(raw)) {
    fields.faults.push(raw.isWellFormed() ? `${name} ${FAULT}` : `${name} is not valid Unicode`);
    return '';
  }
  const username = requiredTextField(fields, name, USERNAME_MAX);
  if (username.includes('  ') || !isOfOneScript(username)) fields.faults.push(`${name} ${FAULT}`);
  return username;
}

/**
 * A username that someone else made, such as an identity provider, without the characters that `usernameField`
 * refuses: of scripts that are not written together, one is left, that of most letters. May be empty.
 */
export function cleanUsername(text: string): string {
  const visible = text.replace(BLANKS, ' ').replace(ALL_UNSEEN, '');
  const short = firstCharacters(singleSpaced(sanitise(visible)), USERNAME_MAX);
  return singleSpaced(mostOfOneScript(short));
}

const BLANKS = new RegExp(String.raw`[${BLANK}\s]+`, 'gu');
const ALL_UNSEEN = new RegExp(UNSEEN, 'gu');

function singleSpaced(text: string): string {
  return text.replace(/ +/g, ' ').trim();
}
