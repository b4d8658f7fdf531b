import { isAscii } from 'node:buffer';
import type { Chunks } from './source.ts';

/** The encoding of a file, by its WHATWG name. */
export interface Detected {
  readonly encoding: string;
  /** False if the bytes allow other readings: a person must confirm one before anything is stored. */
  readonly isCertain: boolean;
  /** The next likely encodings, in which the file reads differently. */
  readonly others: readonly string[];
  /** The first lines of the file and those with other characters than ASCII, as bytes, to show each reading of them. */
  readonly sample: Uint8Array;
}

// The part that shows a mark, UTF-16 or a declaration; also the most of the lines beyond ASCII.
const HEAD_SIZE = 64 * 1024;
const HEAD_LINES = 8;
// How much of a long line to take before its first character beyond ASCII.
const MOST_BEFORE = 1024;
// Reading more does not improve the guess, and takes longer.
const TELLING_SIZE = 8 * 1024;
const MOST_OTHERS = 6;
// Fewer two-byte characters than this may be chance, except for a single Latin one.
const FEW = 4;
const NOT_LATIN = /[\u0180-\u07ff]/;
const THREE_BYTES = /[\u0800-\uffef\u{10000}-\u{10ffff}]/u;
const BEYOND_ASCII = /[\u0080-\uffff]/;
const DECLARATION = /^(?:\xef\xbb\xbf)?\s*<\?xml[^>]{1,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/;
/** The bytes 0x80 to 0x9F in windows-1252. The decoder of many versions of Node reads them as ISO 8859-1. */
export const WINDOWS_CHARACTERS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
// Half a character as UTF-8 would have it, which is not valid: a reader reports the record that holds it.
const HALF_CHARACTER = Buffer.from([0xed, 0xa0, 0x80]);

/** The WHATWG name for a label such as `cp1251`, in lower case; undefined for an encoding that is not known. */
export function encodingNamed(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/**
 * Converts a file to UTF-8. What is no character in its encoding becomes bytes that are not valid UTF-8, a fault of the record
 * alone.
 */
export async function* inUtf8(chunks: Chunks, encoding: string): AsyncGenerator<Uint8Array> {
  if (encoding === 'utf-8') {
    yield* chunks;
    return;
  }
  const decode = decoderOf(encoding);
  for await (const chunk of chunks) yield encoded(decode(chunk));
  yield encoded(decode());
}

/** Decodes a text in this encoding. */
export function decoded(bytes: Uint8Array, encoding: string): string {
  const decode = decoderOf(encoding);
  return decode(bytes) + decode();
}

/** A decoder of a text that may be cut anywhere; without a chunk, the end of the text. */
function decoderOf(encoding: string): (chunk?: Uint8Array) => string {
  const decoder = new TextDecoder(encoding);
  if (encoding !== 'windows-1252') return (chunk) => decoder.decode(chunk, { stream: chunk !== undefined });
  const toCharacter = (byte: string): string => WINDOWS_CHARACTERS.charAt(byte.charCodeAt(0) - 0x80);
  return (chunk) =>
    Buffer.from(chunk ?? [])
      .toString('latin1')
      .replace(/[\u0080-\u009f]/g, toCharacter);
}

function encoded(text: string): Uint8Array {
  const [first = '', ...rest] = text.split('\ufffd');
  return Buffer.concat([Buffer.from(first), ...rest.flatMap((part) => [HALF_CHARACTER, Buffer.from(part)])]);
}

/**
 * Detects the encoding of a file. It reads as much as it needs: up to 64 KB of lines beyond ASCII. Bytes that are mostly UTF-8
 * are UTF-8, with faults. Any other encoding without a mark or a declaration is a guess, as nearly all bytes are characters in
 * each of them.
 */
export async function detectEncoding(chunks: Chunks): Promise<Detected> {
  const { head, lines } = await sampleOf(chunks);
  const text = head.toString('latin1');
  const first = text.split(/\r\n|[\r\n]/, HEAD_LINES);
  const sample = Buffer.from([...new Set([...first, ...lines])].join('\n'), 'latin1');
  const sure = (encoding: string): Detected => ({ encoding, isCertain: true, others: [], sample });

  const marked = markOf(head);
  if (marked !== undefined) return { ...sure(marked), sample: head };
  const declared = encodingNamed(DECLARATION.exec(text)?.[1] ?? 'utf-8') ?? 'utf-8';
  // In UTF-16 the declaration itself would have been different bytes.
  if (!declared.startsWith('utf-')) return sure(declared);
  const beyond = Buffer.from(lines.join('\n'), 'latin1');
  const inUnicode = new TextDecoder().decode(beyond);
  const [encoding = 'utf-8', ...rest] = isSound(inUnicode) ? [] : likeliest(beyond.subarray(0, TELLING_SIZE));
  if (encoding === 'utf-8') return sure(encoding);
  // A few rare letters, such as that of `ʻOhana`, look likelier in other encodings.
  const others = inUnicode.includes('\ufffd') ? rest : ['utf-8', ...rest.filter((one) => one !== 'utf-8')];
  return { encoding, isCertain: false, others: others.slice(0, MOST_OTHERS), sample };
}

/** Whether a text was certainly UTF-8, apart from a few faults. */
function isSound(text: string): boolean {
  const valid = count(text, /[\u0080-\ufffc\uffff]/g);
  const bad = count(text, /\ufffd/g);
  if (bad === 0) return (valid < 2 && !NOT_LATIN.test(text)) || valid > FEW || THREE_BYTES.test(text);
  const lines = text.split('\n');
  const broken = lines.filter((line) => line.includes('\ufffd'));
  return valid >= bad && broken.length * 2 <= lines.length;
}

async function sampleOf(
  chunks: Chunks,
): Promise<{ readonly head: Buffer; readonly lines: readonly string[] }> {
  let head = Buffer.alloc(0);
  let rest = '';
  const lines: string[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    if (head.length < HEAD_SIZE) head = Buffer.concat([head, chunk.subarray(0, HEAD_SIZE - head.length)]);
    const text = rest + Buffer.from(chunk).toString('latin1');
    if (isAscii(chunk) && !BEYOND_ASCII.test(rest)) {
      rest = text.slice(text.lastIndexOf('\n') + 1).slice(-MOST_BEFORE);
      continue;
    }
    const parts = text.split(/[\r\n]+/);
    rest = parts.pop() ?? '';
    // Without the last character of UTF-8, which may be cut.
    if (rest.length >= HEAD_SIZE) parts.push(rest.replace(/[\u00c0-\u00ff]?[\u0080-\u00bf]{0,3}$/, ''));
    const beyond = parts.filter((part) => BEYOND_ASCII.test(part));
    lines.push(...beyond);
    size += beyond.reduce((sum, line) => sum + line.length, 0);
    if (size >= HEAD_SIZE) return { head, lines };
  }
  if (BEYOND_ASCII.test(rest)) lines.push(rest);
  return { head, lines };
}

/** An encoding by its mark, or UTF-16 by the zeros of its line breaks and commas, which no other text has. */
function markOf(head: Buffer): string | undefined {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 'utf-8';
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  let [big, little] = [0, 0];
  for (const [index, byte] of head.entries())
    if (byte === 0 && index % 2 === 0) big += 1;
    else if (byte === 0) little += 1;
  if (Math.max(big, little) < Math.max(2, head.length / 100)) return undefined;
  const hasBreak = (bytes: string): boolean => !head.includes('\n') || head.includes(bytes, 0, 'latin1');
  if (big * 4 < little && hasBreak('\n\0')) return 'utf-16le';
  return little * 4 < big && hasBreak('\0\n') ? 'utf-16be' : undefined;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

// Characters beyond ASCII in names and addresses of the languages that are written in these encodings. The frequent ones come
// first. A rare language needs more evidence.
const LANGUAGES: readonly (readonly [rarity: number, encodings: string, characters: string])[] = [
  [0, 'windows-1252 macintosh', 'éáäóí’üöàèçñãêúßâôõîåëøûïæìòùðþœýÿ'],
  [2, 'windows-1250 iso-8859-2', 'łęąžšśčřěćńżůőűýźăşţáéíóöúüâîđäôľťďňĺŕ'],
  [
    1,
    'windows-1251 koi8-r koi8-u ibm866 x-mac-cyrillic iso-8859-5',
    'оеаинтсрвлкмдпуяыьгзбчйхіжшюцщэїєфъёјљњћђґџў',
  ],
  [1, 'windows-1253 iso-8859-7', 'αοιετσνηρπκλμυςάίδωόέήγύχθώφβξζψϊ'],
  [3, 'windows-1254', 'ıüşöğçİâîé'],
  [2, 'windows-1255', 'יוהלאמרבתשנדחקעפטגסצזכםןךףץ'],
  [2, 'windows-1256 iso-8859-6', 'املريونبتةدسعهكقفحجأشخصىطزغضئإءذظآثؤپچگ'],
  [4, 'windows-1257', 'āšīėūēžčųįņļķģąęõäöü'],
  [2, 'windows-874', 'านรอกเงมยล่วดตสบคีัทพป้ิหุแชูขไะ์โใจ็ซถผืศธภำฟึณ'],
  [6, 'windows-1258', 'ưđơâôêăáàãéóú\u0300\u0301\u0303\u0309\u0323'],
  [
    1,
    'shift_jis euc-jp',
    `ーンイスルトラのアリカッシクコレドマキロニタパバブチグフジサムナーィィテプオハダポピペェワメ店屋食堂んしいたなきかりとまさ
    くらつけもそみよすふれめやこわちおせあにでばじてうどがごげざびぶべぼ町本川田中山大小一二三寿司亭家庵麺酒場料理焼肉鳥魚鮨
    丁目番地号東西南北京都府県市区島海村上下駅前通新古松竹梅天茶房園楽花月日風白黒赤金福元吉和洋喫珈琲軒館味処四五六七八九十`,
  ],
  [
    1,
    'gb18030',
    `店饭馆餐厅酒家楼面粉粥锅火烤鱼肉鸡鸭羊牛虾蟹菜路街号区市老大小王李张陈刘记海北南东西中山川湘粤京县省镇村城门桥新华人民国
    美食香味园坊阁轩堂居春天地福喜龙凤金银花月江河湖上下一二三四五六七八九十百万咖啡茶奶甜包饺子饼汤麻辣烫串吧和平安`,
  ],
  [
    1,
    'big5',
    `店飯館餐廳酒家樓麵粉粥鍋火烤魚肉雞鴨羊牛蝦蟹菜路街號區市老大小王李張陳劉記海北南東西中山川湘粵京縣省鎮村里段巷弄城門橋新華
    人民國美食香味園坊閣軒堂居春天地福喜龍鳳金銀花月江河湖上下一二三四五六七八九十百萬咖啡茶奶甜包餃子餅湯麻辣燙和平安台臺灣高雄港`,
  ],
  [
    1,
    'euc-kr',
    `식당집국밥면김치찌개갈비고기살닭탕냉만두순대떡볶이해물회카페커피빵본점로길동시구서울가네원할머니손맛나라한정일중분부산인천
    광주전경도강북남읍리번지층신성수장안상하우마사아자차바파조오영진미선은화명청평문학역항포`,
  ],
];

// Natural logarithms of how likely other characters are.
const [ASCII, PUNCTUATION, LETTER, FOREIGN, NO_CHARACTER] = [-3, -5.5, -10, -12, -25];
// As a logarithm, for each character: most bytes beyond ASCII do not go on as UTF-8 does.
const UTF_8_BONUS = 6;
const MARKS = /[\u00a0«»‘’“”„…–—·•°€№½¡¿™®&\u3000-\u303f\uff01-\uff60]/u;
const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** The encodings in which the bytes read differently, the likeliest first. */
function likeliest(bytes: Uint8Array): readonly string[] {
  const best = new Map<string, { readonly encoding: string; score: number }>();
  for (const [rarity, encodings, characters] of LANGUAGES) {
    const chances = chancesOf(characters.replace(/\s/g, ''));
    for (const [rank, encoding] of [...encodings.split(' '), 'utf-8'].entries()) {
      const text = decoded(bytes, encoding);
      const found = best.get(text) ?? { encoding, score: -Infinity };
      // Few characters of another encoding look like UTF-8 by chance, and each makes it less likely.
      const less =
        encoding === 'utf-8' ? -UTF_8_BONUS * count(text, /[\u0080-\uffff]/g) : rarity + (rank === 0 ? 0 : 2);
      found.score = Math.max(found.score, likelihood(text, chances) - less);
      best.set(text, found);
    }
  }
  const sorted = [...best].toSorted(([, left], [, right]) => right.score - left.score);
  // Readings that show boxes are not offered.
  const shown = sorted.filter(([text], rank) => rank === 0 || !/[\ufffd\ue000-\uf8ff]/.test(text));
  return shown.map(([, { encoding }]) => encoding);
}

/** How likely each of these characters is, which falls with its rank, as a logarithm. */
function chancesOf(characters: string): ReadonlyMap<string, number> {
  const weights = Array.from(characters, (char, rank) => [char, 1 / (rank + 3)] as const);
  const sum = weights.reduce((total, [, weight]) => total + weight, 0);
  return new Map(weights.map(([char, weight]) => [char, Math.log(weight / sum)]));
}

/** How likely a text of a language is, also by its cases, and by letters that do not stand next to each other in one word. */
function likelihood(text: string, chances: ReadonlyMap<string, number>): number {
  let score = 0;
  let before = ' ';
  for (const char of text) {
    const small = char.toLowerCase();
    const isPlain = char < '\u0080';
    if (isPlain) score += ASCII;
    else if (char === '\ufffd' || char < '\u00a0') score += NO_CHARACTER;
    else score += chances.get(char) ?? chances.get(small) ?? otherChance(char);
    const isLetter = /\p{L}/u.test(char);
    if (isLetter && /\p{L}/u.test(before)) {
      // Letters of Latin with accents stand among plain ones; other scripts do not mix with plain ones.
      const isLatin = /\p{Script=Latin}/u.test(isPlain ? before : char);
      if (isLatin ? !isPlain && before >= '\u0080' : isPlain !== before < '\u0080') score -= 4;
      if (char !== small) score -= before === before.toLowerCase() ? 6 : 1.5;
    } else if (isLetter && char !== char.toUpperCase()) score -= 1;
    before = char;
  }
  return score;
}

/** How likely a character is that is not in the list of its language. */
function otherChance(char: string): number {
  if (MARKS.test(char)) return PUNCTUATION;
  return EAST_ASIAN.test(char) ? LETTER : FOREIGN;
}
