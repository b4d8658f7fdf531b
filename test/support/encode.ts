// The first byte of a character of two bytes, and its second one, are within these.
const [FIRST, LAST] = [0x81, 0xfe];
const WINDOWS_CHARACTERS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
const DOUBLE = ['shift_jis', 'euc-jp', 'gb18030', 'big5', 'euc-kr'];

// Those of two bytes take a tenth of a second.
const TABLES = new Map<string, ReadonlyMap<string, readonly number[]>>();

/** A text in an encoding of one or two bytes a character, in UTF-8 or in UTF-16. Throws if it lacks a character. */
export function encode(text: string, encoding: string): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding === 'utf-16le') return Buffer.from(text, 'utf16le');
  if (encoding === 'utf-16be') return Buffer.from(text, 'utf16le').swap16();
  const table = TABLES.get(encoding) ?? tableOf(encoding);
  TABLES.set(encoding, table);
  const bytes = Array.from(text, (char) => table.get(char));
  if (bytes.includes(undefined)) throw new Error(`"${text}" cannot be written in ${encoding}`);
  return Buffer.from(bytes.flatMap((some) => some ?? []));
}

/** The bytes of the characters of an encoding, as Node decodes them. */
function tableOf(encoding: string): ReadonlyMap<string, readonly number[]> {
  const decoder = new TextDecoder(encoding);
  const table = new Map<string, readonly number[]>();
  const add = (...bytes: readonly number[]): void => {
    const char = decoder.decode(Uint8Array.from(bytes));
    if (Array.from(char).length === 1 && char !== '\ufffd' && !table.has(char)) table.set(char, bytes);
  };
  for (let byte = 0; byte <= 0xff; byte += 1) add(byte);
  if (encoding === 'windows-1252')
    for (const [index, char] of Array.from(WINDOWS_CHARACTERS).entries()) table.set(char, [0x80 + index]);
  if (DOUBLE.includes(encoding))
    for (let lead = FIRST; lead <= LAST; lead += 1)
      for (let trail = 0x40; trail <= LAST; trail += 1) add(lead, trail);
  return table;
}
