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
// Stands for the scripts of later versions of Unicode. No letter is of it, so that those letters fit to nothing.
const UNKNOWN = 'Zzzz';
// Japanese, Chinese with Bopomofo, and Korean: scripts that are written together, and with Latin letters.
const TOGETHER = ['Latn Hani Hira Kana', 'Latn Hani Bopo', 'Latn Hani Hang'];

/** Whether a text is of one script or of such that are written together (UTS #39 section 5.2, "Highly Restrictive"). */
export function isOfOneScript(text: string): boolean {
  return mostOfOneScript(text) === text;
}

/** The characters of the script, or of those that are written together, that most characters of a text are of. */
export function mostOfOneScript(text: string): string {
  const [first, ...others] = groupsOf(text).map((group) => text.replace(foreignTo(group), ''));
  // Without a group all characters are of any script.
  return others.reduce((best, part) => (part.length > best.length ? part : best), first ?? text);
}

/** The groups, of one script or several, that a text may be of; none when all of its characters are of any script. */
function groupsOf(text: string): readonly string[] {
  return scriptsOf(text).flatMap((script) => [script, ...TOGETHER.filter((group) => group.includes(script))]);
}

/** The scripts that characters of a text are of. */
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

/** Made when it is first needed: there are many, and each takes a tenth of a millisecond. */
function pattern(source: string): RegExp {
  const known = patterns.get(source) ?? new RegExp(source, 'gu');
  patterns.set(source, known);
  return known;
}
