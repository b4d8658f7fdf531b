import type { Likely } from '../../src/catalogue/duplicates/traits.ts';
import { shifted } from '../bench/generate.ts';

/** A restaurant of the world file; `city` is the city alone. */
export interface WorldPlace extends Likely {
  readonly address: string;
  readonly city: string;
  readonly country: string;
}

interface Country {
  readonly group: string;
  readonly code: string;
  readonly trunk: string;
  readonly words: readonly string[];
}

/** The same place in another source, and which evidence that source has apart from the name. */
export interface Rewritten extends Likely {
  readonly evidence: string;
  /** Whether its name is in the letters of the country. */
  readonly isTranslated: boolean;
}

// The first of the letters of a country that stand for those from a to z.
const LETTERS = new Map(
  'Japan=カ,Thailand=ก,South Korea=가,China Mainland=一,Taiwan=一,Hong Kong=一,Macau=一,Dubai=ا,Greece=α'
    .split(',')
    .map((pair) => [pair.slice(0, -2), pair.slice(-1)] as const),
);

// Country, group, calling code, prefix of national numbers (`-` for none), and kind words of the language, of which the
// first may be added. Another one that is added, a bistro above all, often stands for a second restaurant of the house.
const COUNTRIES = new Map(
  `USA|USA|1|-|Restaurant,Grill,Kitchen
Canada|America|1|-|Restaurant,Bistro
Brazil|America|55|0|Restaurante
France|Europe|33|0|Restaurant,Brasserie,Bistrot
Belgium|Europe|32|0|Restaurant,Brasserie
Luxembourg|Europe|352|-|Restaurant
Switzerland|Europe|41|0|Restaurant
Germany|Europe|49|0|Restaurant,Gasthaus
Austria|Europe|43|0|Restaurant,Gasthaus
Italy|Europe|39|-|Ristorante,Trattoria,Osteria,Locanda
Spain|Europe|34|-|Restaurante
Portugal|Europe|351|-|Restaurante
United Kingdom|Europe|44|0|Restaurant
Ireland|Europe|353|0|Restaurant
Netherlands|Europe|31|0|Restaurant
Denmark|Europe|45|-|Restaurant
Sweden|Europe|46|0|Restaurang
Norway|Europe|47|-|Restaurant
Hungary|Europe|36|06|Étterem
Türkiye|Europe|90|0|Lokantası
Greece|Europe|30|-|Εστιατόριο
Poland|Europe|48|-|Restauracja
Croatia|Europe|385|0|Restoran
Slovenia|Europe|386|0|Restavracija
Japan|Asia|81|0|Restaurant,Dining
South Korea|Asia|82|0|Restaurant
China Mainland|Asia|86|0|Restaurant
Taiwan|Asia|886|0|Restaurant
Thailand|Asia|66|0|Restaurant
Vietnam|Asia|84|0|Restaurant
Malaysia|Asia|60|0|Restaurant,Kedai Kopi
Singapore|Asia|65|-|Restaurant
Hong Kong|Asia|852|-|Restaurant
Hong Kong SAR China|Asia|852|-|Restaurant
Macau|Asia|853|-|Restaurant
Dubai|Asia|971|0|Restaurant`
    .split('\n')
    .map((line): [string, Country] => {
      const [name = '', group = '', code = '', trunk = '', words = ''] = line.split('|');
      return [name, { group, code, trunk: trunk === '-' ? '' : trunk, words: words.split(',') }];
    }),
);

// Written in full and abbreviated.
const ABBREVIATIONS = (
  'Street=St.,Road=Rd,Avenue=Ave,Boulevard=Blvd,Drive=Dr.,Lane=Ln,Square=Sq.,North=N.,South=S.,East=E.,West=W.,boulevard=bd,' +
  'avenue=av.,place=pl.,straße=str.,strasse=str.,Straße=Str.,Platz=Pl.,piazza=P.za,viale=V.le,corso=C.so,Avenida=Av.,Calle=C/,' +
  'Plaza=Pl.,Rua=R.,Largo=Lg.,Section=Sec.,District=Dist.,Jalan=Jln,Caddesi=Cad.,Sokak=Sok.,Mahallesi=Mah.,Saint=St.'
)
  .split(',')
  .map((pair) => pair.split('='));
const FLOOR = /^(B?\d+F|GF|B\d|#\S+|(Shop|Level|Unit) .+)$/;
const METRES = 40;

/** The group of countries that figures are given for. */
export function groupOf({ country }: WorldPlace): string {
  return COUNTRIES.get(country)?.group ?? 'elsewhere';
}

/** Writes places as another guide or map would. */
export function createRewriter(random: () => number): (place: WorldPlace) => Rewritten {
  const chance = (share: number): boolean => random() < share;
  const pick = <Value>(values: readonly [Value, ...Value[]]): Value =>
    values[Math.floor(random() * values.length)] ?? values[0];

  function withTypo(name: string): string {
    const word = name.split(' ').toSorted((left, right) => right.length - left.length)[0] ?? '';
    if (word.length < 4) return name;
    const at = 1 + Math.floor(random() * (word.length - 2));
    const [start, end] = [word.slice(0, at), word.slice(at + 1)];
    const letter = word[at] ?? '';
    const next = end.slice(0, 1);
    return name.replace(
      word,
      pick([start + end, start + letter + letter + end, start + next + letter + end.slice(1)]),
    );
  }

  function nameOf({ name: given, country }: WorldPlace): string {
    const exact = given.normalize('NFC');
    const name = chance(0.1) ? withTypo(exact) : exact;
    const words = COUNTRIES.get(country)?.words ?? ['Restaurant'];
    const bare = words.reduce((text, word) => text.replace(new RegExp(`^${word} | ${word}$`, 'i'), ''), name);
    const kind = words[0] ?? '';
    let written = name;
    if (chance(0.3))
      written = bare === name || bare.length < 3 ? pick([`${kind} ${name}`, `${name} ${kind}`]) : bare;
    if (chance(0.3)) written = written.normalize('NFD').replace(/\p{M}/gu, '');
    if (chance(0.15)) written = written.toUpperCase();
    if (chance(0.5)) written = written.replace('&', 'and').replace('’', "'");
    return written;
  }

  function phoneOf({ phone, country }: WorldPlace): string | null {
    if (phone === null || chance(0.25)) return null;
    const { code, trunk } = COUNTRIES.get(country) ?? {};
    if (code === undefined || trunk === undefined || !phone.startsWith(`+${code}`)) return phone;
    const local = phone.slice(code.length + 1);
    const separator = pick([' ', '-', '.', '']);
    const groups = local.match(/\d{2,3}(?=\d{2})|\d+/g) ?? [local];
    const [area = '', ...rest] = groups;
    const grouped = groups.join(separator);
    return pick([
      `${trunk}${grouped}`,
      `${trunk}${area}/${rest.join(separator)}`,
      `(${trunk}${area}) ${rest.join(separator)}`,
      `+${code} ${grouped}`,
      `+${code} ${trunk === '0' ? '(0)' : ''}${grouped}`,
      `00${code} ${local}`,
    ]);
  }

  function addressOf({ address, city, country }: WorldPlace): string | null {
    if (chance(0.15)) return null;
    const parts = address.split(', ');
    const end = parts.lastIndexOf(city, parts.length - 2);
    const street = parts.slice(0, end < 0 ? -1 : end);
    const bare = street.filter((part) => !FLOOR.test(part));
    const short = ABBREVIATIONS.reduce(
      (text, [full = '', brief = '']) => text.replace(new RegExp(`${full}(?!\\p{L})`, 'u'), brief),
      bare.join(', '),
    );
    const turned = /^\d/.test(short)
      ? short.replace(/^([\d-]+[a-z]?) ([^,\d]+)(?=,|$)/i, '$2 $1')
      : short.replace(/^([^,\d]+) ([\d-]+[a-z]?)(?=,|$)/i, '$2 $1');
    const code = parts.slice(end + 1, -1).join(' ');
    return pick([
      address,
      street.join(', '),
      bare.join(', '),
      short,
      `${short}, ${city}`,
      `${turned}, ${city}`,
      `${bare.join(', ')}, ${code} ${city}, ${country}`,
    ]);
  }

  function websiteOf(website: string | null): string | null {
    if (website === null || chance(0.5)) return null;
    const bare = website.replace(/^https?:\/\//, '').replace(/\/$/, '');
    const other = bare.startsWith('www.') ? bare.slice(4) : `www.${bare}`;
    return pick([`http://${other}`, `https://${other}/`, other, `https://${bare}?utm_source=guide`]);
  }

  /** Not a transcription, but as little like the Latin letters. */
  function translated(text: string, first: string): string {
    const letterOf = (letter: string): string =>
      String.fromCodePoint((first.codePointAt(0) ?? 0) + ((letter.codePointAt(0) ?? 0) % 32));
    return text.normalize('NFD').replace(/\p{M}/gu, '').replace(/[a-z]/gi, letterOf);
  }

  return (place) => {
    const { latitude, longitude } = place;
    const [distance, direction] = [(METRES * random()) / 1_000, random() * 2 * Math.PI];
    const spot =
      latitude === null || longitude === null || chance(0.3)
        ? { latitude: null, longitude: null }
        : shifted({ latitude, longitude }, distance * Math.cos(direction), distance * Math.sin(direction));
    const letters = chance(0.3) ? LETTERS.get(place.country) : undefined;
    const inLetters = (text: string): string => (letters === undefined ? text : translated(text, letters));
    const address = addressOf(place);
    const rest = {
      address: address !== null && chance(0.5) ? inLetters(address) : address,
      phone: phoneOf(place),
      website: websiteOf(place.website),
    };
    const evidence = {
      phone: rest.phone,
      address: /\d/.test(rest.address ?? '') ? rest.address : null,
      spot: spot.latitude,
      website: rest.website,
    };
    const left = Object.entries(evidence).flatMap(([name, value]) => (value === null ? [] : [name]));
    const name = inLetters(nameOf(place));
    return {
      name,
      ...rest,
      ...spot,
      evidence: left.join(' + ') || 'only the name',
      isTranslated: letters !== undefined,
    };
  };
}
