import { isStreet, readMapLink, saysNothing, splitWords } from '../src/catalogue/places/map-address.js';
import { asciiDigits, readPosition } from '../src/catalogue/places/positions.js';

/**
 * What a pasted or shared text says about a place. `url` is the link to a map in it, `website` any other link; an
 * `approximate` position is the middle of a map, an `unresolved` link says nothing until its own service is asked, and
 * one to `many` places is of no use.
 */
export type PlaceText = Partial<
  Record<'name' | 'address' | 'phone' | 'google_place_id' | 'osm' | 'url' | 'website', string> &
    Record<'lat' | 'lng', number> &
    Record<'approximate' | 'unresolved' | 'many', boolean>
>;

const LINK =
  /(?:geo|google\.navigation):[^\s(<>"]+(?:\([^)]*\))?|(?:(?:https?|om|ge0|cm|mapsme|mapswithme|comgooglemaps|waze|yandexmaps|nmap|kakaomap):\/\/|(?:www|maps?|wego|share|ul|place\.map)\.(?=\S+\/)|(?:goo\.gl|g\.co|g\.page|share\.google|osm\.org|openstreetmap\.org|waze\.com|omaps\.app|ge0\.me|naver\.me|kko\.to|her\.is|yandex\.[a-z.]{2,6})\/)[^\s<>"“”„«»]+/giu;
const TRACKING = /^(?:utm_.*|\w*clid|gclsrc|igshid?|si|mc_.*|ref|ref_src|_ga|msclkid|g_st|share(?:_.*)?)$/;
// Apps that were shared from.
const APPS = String.raw`(?:google|apple|bing|organic|yandex|naver|kakao|here|waze|yelp|tripadvisor|instagram|facebook|openstreetmap|foursquare)\b[^:]*:?`;
const FROM_APP = new RegExp(
  String.raw`(?:\s+(?:on|in|via|with|from|at|auf|mit|bei|von|sur|dans|avec|en|con|su|op|met|no|na|com|de|على|في)|\s*[-–—·|•])\s+${APPS}$|^\[[^\]]*\]\s*`,
  'iu',
);
const GREETING =
  /^(?:hi|hello|hey|hallo|guten (?:tag|morgen|abend)|moin|servus|salut|bonjour|coucou|hola|buenas|ciao|buongiorno|ol[áa]|oi|hoi|dag|こんにちは|こんばんは|مرحبا|أهلا|السلام عليكم)(?:(?:\s+\p{L}+){0,2}\s*[,!.、。،\uff01]+\s*|\s+(?:all|there|everyone|zusammen|ihr|alle|tous|todos|a tutti|allemaal|pessoal)$|$)/iu;
// How a sentence about a place begins.
const LEAD = new RegExp(
  String.raw`^(?:please\s+|bitte\s+)?(?:${[
    String.raw`check (?:this )?out|look(?: at)?|see|have a look(?: at)?|take a look(?: at)?|here(?:['’]s| is)|go (?:here|to)|let['’]s (?:go|eat|meet)(?: (?:to|at|here))?|meet me(?: at)?|i(?:['’]m| am)(?: at| sharing)?|i (?:found|like|love)|we (?:could|should)|shared|try|use \w+ to (?:drive|navigate) to|this is|dinner|lunch|i|we|you|ich|wir|je|nous|on|yo|io|noi|ik|wij|eu`,
    String.raw`schaut? (?:dir|euch|mal|dir mal)|schaut?|guckt?(?: mal)?|sieh(?: dir)?|seht euch|hier ist|das ist|lasst? uns|treffen wir uns|ich bin|ich habe`,
    String.raw`regarde[rz]?|d[ée]couvre[zr]?|voici|voil[àa]|viens|venez|rendez-vous|on se retrouve|j['’]ai|je suis|c['’]est`,
    String.raw`mirad?|echa un vistazo(?: a)?|descubre|aqu[íi] (?:est[áa]|tienes)|he encontrado|nos vemos(?: en)?|vamos(?: a)?|estoy(?: en)?|prueba`,
    String.raw`guarda(?:te)?|dai un['’]occhiata(?: a)?|scopri|ecco|ho trovato|ci vediamo(?: (?:da|a|al))?|andiamo(?: (?:da|a|al))?|sono`,
    String.raw`kijk(?: eens)?(?: naar)?|bekijk|hier is|dit is|laten we|ik (?:heb|ben)|zie`,
    String.raw`olh[ae](?: s[óo])?|vejam?|confira|d[áê] uma olhada(?: em)?|aqui est[áa]|encontrei|estou(?: em)?|conhe[çc]a`,
    String.raw`見て|ここ(?:は|に|で)?|شاهد|انظر(?: إلى)?|إليك|هذا|تحقق من|لنذهب إلى|جرب`,
  ].join('|')})(?=[\s:,!.。、…\uff01\uff1a]|$)[\s:,!.。、…\uff01\uff1a]*`,
  'iu',
);
// These begin names as well, such as "Mira Mar".
const AMBIGUOUS =
  /^(?:i|we|you|ich|wir|je|nous|on|yo|io|noi|ik|wij|eu|see|look|try|shared|dinner|lunch|viens|voil[àa]|mira|prueba|guarda|ecco|sono|zie)\s$/i;
const QUOTED = /["“„«»「『‹]\s*([^"“”„«»「」『』‹›]+?)\s*["“”»«」』›]/u;
const PHONE_LABEL = String.raw`(?:tel(?:[ée]fon[eo]?|efoon|ephone)?|t[ée]l(?:[ée]phone)?|phone|ph|fon|mobile?|mob|handy|cell|call|電話(?:番号)?|☎️?|📞|📱|(?:ال)?هاتف|전화)\.?\s*[:：]?\s*`;
const PHONE_LINE = new RegExp(String.raw`^(?:${PHONE_LABEL})?(\+?[\d\s()./-]{6,24})$`, 'iu');
const PHONE_WITHIN = new RegExp(
  String.raw`(?<!\w)[\s,;|·(-]*(?:(?<!\p{L})${PHONE_LABEL}(?=[+\d(])|(?=\+\d))(\+?[\d(][\d\s()./-]{4,22}\d)\)?`,
  'iu',
);
const POSITION_WITHIN = /[\s,;:(@-]*(?<![\d.])(-?\d{1,2}\.\d{2,}\s*,\s*-?\d{1,3}\.\d{2,})\)?$/;
const LABELLED =
  /^(?:(name|nom|nombre|nome|naam|店名|名前|الاسم)|address|adress[eo]?|direcci[óo]n|indirizzo|adres|endere[çc]o|住所|العنوان)\s*[:：]\s*(.+)$/iu;
// Ratings, tags, hours, further ways to write, and what apps call a place without a name.
const NOISE =
  /^[\d.,\s]*[★☆⭐]|^[#@]\S+(?:\s+[#@]\S+)*$|\d[:h]\d\d(?!\d)|^(?:tele)?fax\b|^(?:e-?)?mail\b|^(?:google|apple|organic) maps$|^(?:dropped pin|my location|gesetzte (?:stecknadel|markierung)|rep[èe]re plac[ée]|alfiler colocado|segnaposto inserito|geplaatste speld|alfinete fixado|ドロップされたピン)$/iu;

/** Reads a name, an address, a position or a link to a map out of what a person pasted or shared. It never throws. */
export function parsePlace(input: string): PlaceText {
  const text = input.slice(0, 5_000).normalize('NFC');
  if (/^\s*BEGIN:VCARD/i.test(text)) return readCard(text);
  const links = [...text.matchAll(LINK)].map(([link]) =>
    link.replace(link.includes('(') ? /[.,;:!?'»\]。、」』]+$/u : /[.,;:!?'»\])。、」』）]+$/u, ''),
  );
  const lines = links
    .reduce((rest, link) => rest.replace(link, '\n'), text)
    .replace(/[^\S\n]+/gu, ' ')
    .split(/[\s(]*\n[\s).,;]*/u);
  return { ...readLines(lines, links.length > 0), ...readLinks(links) };
}

function readLinks(links: readonly string[]): PlaceText {
  const maps = links.flatMap((link) => readMapLink(link) ?? []);
  const map = maps.find((one) => one.kind === 'place' && !saysNothing(one)) ?? maps[0];
  const website = links.find((link) => /^https?:|^www\./i.test(link) && !readMapLink(link));
  const { name, address, position, isApproximate, google, osm } = map ?? {};
  return {
    ...(name && { name }),
    ...(address && { address }),
    ...(position && { lat: position.latitude, lng: position.longitude }),
    ...(isApproximate && { approximate: true }),
    ...(google && { google_place_id: google }),
    ...(osm && { osm }),
    ...(map && { url: map.url }),
    ...(map?.kind === 'many' && { many: true }),
    ...(map && saysNothing(map) && { unresolved: true }),
    ...(website && { website: withoutTracking(website) }),
  };
}

function readLines(all: readonly string[], isShared: boolean): PlaceText {
  const found: { name?: string; address?: string; phone?: string; lat?: number; lng?: number } = {};
  /** What is left of a line without a position and a telephone number. */
  const rest = (line: string) => {
    const digits = asciiDigits(line);
    const within = POSITION_WITHIN.exec(digits);
    const whole = /[.,٫]\d|°|\p{L}/u.test(digits) ? readPosition(line) : undefined;
    const position = whole ?? readPosition(within?.[1] ?? '');
    if (position) [found.lat, found.lng] = [position.latitude, position.longitude];
    if (position) return whole ? '' : digits.slice(0, within?.index);
    const phone = PHONE_LINE.exec(digits) ?? PHONE_WITHIN.exec(digits);
    if (!phone) return line;
    found.phone ??= phone[1]?.trim() ?? '';
    return digits
      .replace(phone[0], ' ')
      .replace(/[\s.,;|·•–—-]+$/, '')
      .trim();
  };
  const isBrief = all.length === 1;
  /** Takes the value of a line that begins with a label, such as `Address:`. Returns false for any other line. */
  const takes = (line: string) => {
    const [, isName, value] = LABELLED.exec(line) ?? [];
    if (value !== undefined) found[isName ? 'name' : 'address'] ??= value;
    return value !== undefined;
  };
  const lines = all
    .flatMap(partsOf)
    .map((line) => rest(line.replace(/\S+@\S+\.\w+/, '')))
    .filter((line) => /[\p{L}\d]/u.test(line) && (isBrief || !NOISE.test(line)) && !takes(line));
  // A line alone was typed, unless it quotes a name.
  const isTyped = lines.length === 1 && !isShared && !QUOTED.test(lines[0] ?? '');
  const named = isTyped ? lines : lines.map((line) => aboutPlace(line.trim()));
  const said = [...new Set(named.filter((line) => line !== ''))];
  // Names may end like a sentence, too, so one with few small words stays unless something else is said.
  const isCalled = (line: string) => /[!?…\uff01\uff1f]$/u.test(line) && /(?:^|\s)\p{Ll}|\p{Lo}/u.test(line);
  const isSentence = (line: string) => isCalled(line) && (/[?\uff1f]$/.test(line) || smallWords(line) > 1);
  const meant = isShared ? said.filter((line) => !isSentence(line)) : said;
  const words = meant.every(isCalled) ? meant : meant.filter((line) => !isCalled(line));
  const [first = '', ...others] = words;
  const { name = '', address = '' } = splitWords(first);
  const further = others
    .map((line) => (name !== '' && line.startsWith(`${name}, `) ? line.slice(name.length + 2) : line))
    .filter((line) => mayBeAddress(line) && (name === '' || !line.includes(name)));
  const start = Math.max(0, further.findIndex(isAddress));
  const whole = [address, ...further.slice(start)].filter((part) => part !== '').join(', ');
  return { ...(name !== '' && { name }), ...(whole !== '' && { address: whole }), ...found };
}

/** What a line says of the place itself: the name in "Look at “Da Enzo”", '' for a greeting. */
function aboutPlace(line: string) {
  const hello = GREETING.exec(line)?.[0] ?? '';
  const rest = line.slice(hello.length);
  const isHello = hello !== '' && (rest === '' || LEAD.test(rest) || /[!?:…]$/.test(rest));
  const text = (isHello ? rest : line).replace(FROM_APP, '');
  const lead = LEAD.exec(text)?.[0] ?? '';
  const quoted = QUOTED.exec(text);
  const outside = quoted && text.replace(quoted[0], '').trim();
  if (quoted?.[1] && (lead !== '' || (outside ?? '').split(' ').length > 2)) return quoted[1];
  const after = text.slice(lead.length).replace(/^\p{Ll}{1,3}['’ ](?=\p{Lu})/u, '');
  const isSure = !AMBIGUOUS.test(lead) || isHello || text !== line || /[!?:…]$/.test(text);
  if (lead !== '' && (isSure || /^\p{Ll}/u.test(after))) {
    const told = /^\p{Ll}/u.test(after) ? (/[:：]\s+(.*)$/.exec(after)?.[1] ?? '') : after;
    return told.replace(/^(.*\S)\s+an(?=[!.?:…]*$)/u, '$1').replace(/[\s!.?:…\uff01\uff1f\uff1a]+$/u, '');
  }
  return /[:：]$/.test(text) ? '' : text;
}

/** Whether a line has a number or a word for a street. */
const isAddress = (line: string) => /\p{Nd}/u.test(line) || isStreet(line);

/** Whether a line is no sentence: one has more small words than a street without a number. */
function mayBeAddress(line: string) {
  if (/\p{Nd}/u.test(line)) return true;
  return !/^\p{Ll}/u.test(line) && smallWords(line) < 3 && (isStreet(line) || line.split(' ').length < 4);
}

const smallWords = (line: string) => line.match(/(?:^|\s)\p{Ll}/gu)?.length ?? 0;

/** The parts of a line that separates a name from an address or a number by more than a comma. */
function partsOf(line: string) {
  const [, name, address = ''] = /^([^()]+?)\s\(([^()]+)\)$/.exec(line) ?? [];
  if (name && /\d/.test(address) && (address.includes(',') || isStreet(address))) return [name, address];
  const parts = line.split(/\s[|•·–—-]\s/);
  return parts.slice(1).some((part) => /\d/.test(part)) ? parts : [line];
}

/** A website without the parameters that follow readers around. */
function withoutTracking(link: string) {
  if (!URL.canParse(link)) return link;
  const url = new URL(link);
  const tracking = [...url.searchParams.keys()].filter((name) => TRACKING.test(name));
  if (url.hash.startsWith('#utm_')) url.hash = '';
  else if (tracking.length === 0) return link;
  for (const name of tracking) url.searchParams.delete(name);
  return url.href;
}

/** Reads a card of an address book (RFC 6350). */
function readCard(text: string): PlaceText {
  const lines = text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/);
  const get = (name: string) => {
    const pattern = new RegExp(String.raw`^(?:[\w-]+\.)?${name}(?:;[^:]*)?:(.+)$`, 'i');
    const value = lines.map((line) => pattern.exec(line)?.[1]).find((one) => one !== undefined) ?? '';
    return value
      .replace(/\\n/gi, ', ')
      .replace(/\\([,;\\])/g, '$1')
      .trim();
  };
  const [, , street = '', city = '', , code = '', country = ''] = get('ADR')
    .split(';')
    .map((part) => part.trim());
  const address = [street, `${code} ${city}`.trim(), country].filter((part) => part !== '').join(', ');
  const [name, phone, position] = [
    get('FN') || get('ORG'),
    get('TEL').replace(/^tel:/i, ''),
    readPosition(get('GEO')),
  ];
  return {
    ...(name && { name }),
    ...(phone && { phone }),
    ...(address && { address }),
    ...(position && { lat: position.latitude, lng: position.longitude }),
    ...readLinks([get('URL')].filter((link) => link !== '')),
  };
}
