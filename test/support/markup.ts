import { readFileSync } from 'node:fs';
import { randomNumbers } from './catalogue.ts';
import { array } from './client.ts';

/** Markup that some filter has let through. Each shows itself by setting `hit` when a browser runs it. */
const CLASSICS = readTexts('./markup-classics.json');

/** Texts that are no markup, which come back as they were typed. */
export const PLAIN_TEXTS: readonly string[] = [
  'I <3 it',
  '5 < 6 > 4',
  '5 < 6',
  'Fish & Chips',
  'AT&T',
  'a < b',
  '<3 <3 <3',
  '<<<',
  '<>',
  '>_<',
  '->',
  '< script>hit=1< /script>',
  '1<2',
  'x<=y',
  '<é>',
  '<ñ onload=hit=1>',
  '$5 <€6',
  '-->',
  '&lt;script&gt;hit=1&lt;/script&gt;',
  '&amp;lt;b&amp;gt;',
  '&#60;img src=x onerror=hit=1&#62;',
  '&copy 2026',
  '&#x3c;svg onload=hit=1&#x3e;',
  '&lt&NewLine;img',
  '&notit; &unknown; &',
  '&#0; &#x110000;',
  '%3Cb%3E',
  'javascript:hit=1',
  'onclick=hit=1',
  '" onmouseover="hit=1',
  "' autofocus onfocus='hit=1",
  '`${hit=1}`',
  '{{7*7}}',
  '\\u003cscript\\u003e',
  '\\x3cimg\\x3e',
  '+ADw-script+AD4-hit=1',
  ']]>',
  '*/hit=1//',
  '=HYPERLINK("x")',
  '＜script＞hit=1＜/script＞',
  '‹b›',
  '˂img˃',
  '﹤svg onload=hit=1﹥',
  '<\u017fcript>',
  '<\u0131mg>',
  '🍕👩‍🍳🏳️‍🌈',
  '<🍕>',
  '寿司 築地',
  'مطعم بيت قفه',
  'שלום <עולם>',
  'a\u202eb\u2066c',
  'e\u0301\u200d\ufeffx',
  'line one\nline two\ttabbed',
  'C:\\dir\\file',
  'it’s “good”',
  '0 < n && n > 1',
  'if (a<0||b>1)',
  'a\u2028<\u2029b',
];

const ELEMENTS = [
  ...'a abbr area article audio b base basefont bdo bgsound big blink body br button canvas center col'.split(
    ' ',
  ),
  ...'datalist dd details dialog div dl embed fieldset font form frame frameset h1 head hr html i iframe img'.split(
    ' ',
  ),
  ...'input ins isindex label legend li link listing main map marquee math menu meta mglyph mi mn mo ms mtext'.split(
    ' ',
  ),
  ...'nobr noembed noframes noscript object ol optgroup option p param picture plaintext portal pre progress q rb'.split(
    ' ',
  ),
  ...'ruby script search section select slot source span style sub summary svg table tbody td template textarea'.split(
    ' ',
  ),
  ...'tfoot th thead title tr track tt u ul var video wbr xmp foreignObject animate set use desc'.split(' '),
];
const HANDLERS = ' src=x onerror=hit=1 onload=hit=1';

const PIECES: readonly string[] = [
  '<',
  '<',
  '<',
  '</',
  '>',
  '>',
  '/',
  '/>',
  '!',
  '?',
  '!--',
  '--',
  '-->',
  '--!>',
  '![CDATA[',
  ']]>',
  '-',
  '=',
  '"',
  "'",
  '`',
  ' ',
  '\t',
  '\n',
  '\r',
  '\f',
  '\u0000',
  '\u0001',
  '\u000b',
  '\u0085',
  '\u00a0',
  '\u2028',
  '\ufeff',
  'x',
  '3',
  'é',
  'ſ',
  '＜',
  '＞',
  '🍕',
  '&lt;',
  '&#60',
  '&gt;',
  '&',
  ';',
  ':',
  '%3C',
  '\\x3c',
  'script',
  'ScRiPt',
  'style',
  'svg',
  'math',
  'embed',
  'object',
  'iframe',
  'template',
  'noscript',
  'textarea',
  'title',
  'xmp',
  'plaintext',
  'table',
  'mglyph',
  'mtext',
  'select',
  'img',
  'b',
  'a',
  'p',
  'form',
  'x-y',
  ' src=x',
  ' onerror=hit=1',
  ' onload=hit=1',
  ' title="',
  " alt='",
  ' href=javascript:hit=1',
  '/onload=hit=1',
  '<script>',
  '</script>',
  '<style>',
  '</style>',
  '<svg>',
  '<embed>',
  '<!--',
  '<img src=x onerror=hit=1>',
  '<b',
];

/** At least `count` different texts that want to be markup, the same in every run. */
export function hostileMarkup(count: number): readonly string[] {
  const texts = new Set([
    ...CLASSICS,
    ...ELEMENTS.flatMap((name) => [
      `<${name}${HANDLERS}>x</${name}>`,
      `<${mixed(name)}${HANDLERS.replaceAll(' ', '\n')}`,
      `<${name.slice(0, 1)}<b>${name.slice(1)}${HANDLERS}>`,
      `<${name} title="</${name}><img src=x onerror=hit=1>">`,
    ]),
  ]);
  const random = randomNumbers(29);
  const pick = (): string => PIECES[Math.floor(random() * PIECES.length)] ?? '';
  while (texts.size < count) texts.add(Array.from({ length: 3 + Math.floor(random() * 12) }, pick).join(''));
  return [...texts];
}

function mixed(name: string): string {
  return name.replaceAll(/(.)(.?)/g, (_, odd: string, even: string) => odd.toUpperCase() + even);
}

function readTexts(file: string): string[] {
  return array(JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'))).map(String);
}
