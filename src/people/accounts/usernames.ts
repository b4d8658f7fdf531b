import { type Fields, MAX_UNCLEANED, firstCharacters, requiredTextField } from '../../kit/input/fields.ts';
import { sanitise } from '../../kit/input/sanitise.ts';

/** Characters (code points) that a username may have. */
export const USERNAME_MAX = 100;

// Characters that are blank: separators, and a Braille cell without dots.
const BLANK = String.raw`\p{Z}\u2800`;
// Invisible characters, and those that no font has. After a symbol, a variation selector makes an emoji.
const UNSEEN = String.raw`(?!(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f])[\p{C}\p{Default_Ignorable_Code_Point}]`;
const FORBIDDEN = new RegExp(`(?! )[${BLANK}]|${UNSEEN}`, 'u');
const BLANKS = new RegExp(String.raw`[${BLANK}\s]+`, 'gu');
const ALL_UNSEEN = new RegExp(UNSEEN, 'gu');
const FAULT = 'holds invisible or look-alike characters';

// Scripts of Unicode 15 by their codes of ISO 15924, the most frequent ones first.
const SCRIPTS = (
  'Latn Cyrl Hani Hira Kana Hang Arab Grek Deva Hebr Thai Armn Geor Beng Taml Telu Gujr Guru Knda Mlym Sinh Ethi ' +
  'Khmr Laoo Mymr Adlm Aghb Ahom Armi Avst Bali Bamu Bass Batk Bhks Bopo Brah Brai Bugi Buhd Cakm Cans Cari Cham ' +
  'Cher Chrs Copt Cpmn Cprt Diak Dogr Dsrt Dupl Egyp Elba Elym Glag Gong Gonm Goth Gran Hano Hatr Hluw Hmng Hmnp ' +
  'Hung Ital Java Kali Kawi Khar Khoj Kits Kthi Lana Lepc Limb Lina Linb Lisu Lyci Lydi Mahj Maka Mand Mani Marc ' +
  'Medf Mend Merc Mero Modi Mong Mroo Mtei Mult Nagm Nand Narb Nbat Newa Nkoo Nshu Ogam Olck Orkh Orya Osge Osma ' +
  'Ougr Palm Pauc Perm Phag Phli Phlp Phnx Plrd Prti Rjng Rohg Runr Samr Sarb Saur Sgnw Shaw Shrd Sidd Sind Sogd ' +
  'Sogo Sora Soyo Sund Sylo Syrc Tagb Takr Tale Talu Tang Tavt Tfng Tglg Thaa Tibt Tirh Tnsa Toto Ugar Vaii Vith ' +
  'Wara Wcho Xpeo Xsux Yezi Yiii Zanb'
).split(' ');
// Stands for the scripts of later versions of Unicode. It matches nothing, so those letters cannot be combined with any others.
const UNKNOWN = 'Zzzz';
// Japanese, Chinese with Bopomofo, and Korean: scripts that are written together, and with Latin letters.
const TOGETHER = ['Latn Hani Hira Kana', 'Latn Hani Bopo', 'Latn Hani Hang'];

/**
 * A username of 1 to `max` characters, sanitised and trimmed; absent, null and empty are faults. So is whatever
 * makes one username look like another: invisible characters, blanks except single spaces, and letters of scripts that
 * are not written together (UTS #39 section 5.2, "Highly Restrictive").
 */
export function usernameField(fields: Fields, name: string, max = USERNAME_MAX): string {
  const raw = fields.values.get(name);
  // Check the raw text: the sanitiser would remove some of them.
  if (typeof raw === 'string' && raw.length <= MAX_UNCLEANED && FORBIDDEN.test(raw)) {
    fields.faults.push(raw.isWellFormed() ? `${name} ${FAULT}` : `${name} is not valid Unicode`);
    return '';
  }
  const username = requiredTextField(fields, name, max);
  if (username.includes('  ') || mostOfOneScript(username) !== username)
    fields.faults.push(`${name} ${FAULT}`);
  return username;
}

/**
 * A username from an identity provider without the characters that `usernameField` refuses; of scripts that are not written
 * together, only the most frequent one is left. May be empty.
 */
export function cleanUsername(text: string): string {
  const visible = text.replace(BLANKS, ' ').replace(ALL_UNSEEN, '');
  const short = firstCharacters(singleSpaced(sanitise(visible)), USERNAME_MAX);
  return singleSpaced(mostOfOneScript(short));
}

function singleSpaced(text: string): string {
  return text.replace(/ +/g, ' ').trim();
}

/** The characters of a text that are in its most frequent script, or group of scripts that are written together. */
function mostOfOneScript(text: string): string {
  const [first, ...others] = groupsOf(text).map((group) => text.replace(foreignTo(group), ''));
  // Without a group, every character belongs to all scripts.
  return others.reduce((best, part) => (part.length > best.length ? part : best), first ?? text);
}

/** The groups of scripts that a text may be written in; none if all of its characters belong to every script. */
function groupsOf(text: string): readonly string[] {
  return scriptsOf(text).flatMap((script) => [script, ...TOGETHER.filter((group) => group.includes(script))]);
}

/** The scripts of the characters of a text. */
function scriptsOf(text: string): readonly string[] {
  const found: string[] = [];
  let rest = text.replace(/[\p{Script=Zyyy}\p{Script=Zinh}]+/gu, '');
  for (const script of SCRIPTS) {
    if (rest === '') return found;
    const others = rest.replace(pattern(`\\p{Script=${script}}+`), '');
    if (others !== rest) found.push(script);
    rest = others;
  }
  return rest === '' ? found : [...found, UNKNOWN];
}

/** Matches characters that the scripts of a group do not have. */
function foreignTo(group: string): RegExp {
  const classes = `${group} Zyyy Zinh`.split(' ').map((script) => `\\p{Script_Extensions=${script}}`);
  return pattern(`[^${classes.join('')}]+`);
}

const patterns = new Map<string, RegExp>();

/** Compiled on first use: there are many, and each takes a tenth of a millisecond. */
function pattern(source: string): RegExp {
  const known = patterns.get(source) ?? new RegExp(source, 'gu');
  patterns.set(source, known);
  return known;
}
