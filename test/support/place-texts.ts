import type { PlaceRow } from './map-links.ts';

/** Texts of other kinds. */
export const TEXTS: readonly PlaceRow[] = [
  ['a name', 'Trattoria Da Enzo', { name: 'Trattoria Da Enzo' }],
  ['a name with a number', 'Noodle Bar 21', { name: 'Noodle Bar 21' }],
  ['a name with a comma', 'Ciao, Bella', { name: 'Ciao, Bella' }],
  ['a name that a street begins', 'Via Roma', { name: 'Via Roma' }],
  [
    'a name and an address',
    'Da Enzo, Via dei Vascellari 29, Roma',
    { name: 'Da Enzo', address: 'Via dei Vascellari 29, Roma' },
  ],
  [
    'a name with a street in it',
    'Le Square Trousseau, 1 Rue Antoine Vollon',
    { name: 'Le Square Trousseau', address: '1 Rue Antoine Vollon' },
  ],
  [
    'an address, Italian',
    'Via dei Vascellari, 29, 00153 Roma',
    { address: 'Via dei Vascellari, 29, 00153 Roma' },
  ],
  ['an address, English', '29 Main Street, London', { address: '29 Main Street, London' }],
  ['an address, German', 'Kantstraße 30, 10623 Berlin', { address: 'Kantstraße 30, 10623 Berlin' }],
  ['an address, Japanese', '東京都渋谷区神南1-2-3', { address: '東京都渋谷区神南1-2-3' }],
  ['an address, Russian', 'ул. Арбат, 12, Москва', { address: 'ул. Арбат, 12, Москва' }],
  ['a name, Chinese', '市場食堂', { name: '市場食堂' }],
  ['a position', '41.8884, 12.4775', { lat: 41.8884, lng: 12.4775 }],
  ['a position with a blank', '41.8884 -12.4775', { lat: 41.8884, lng: -12.4775 }],
  ['a position with decimal commas', '41,8884; 12,4775', { lat: 41.8884, lng: 12.4775 }],
  ['a position in degrees', `41°53'24"N 12°28'12"E`, { lat: 41.89, lng: 12.47 }],
  ['a position in the south-west', '33°30′0″S, 70°30′0″W', { lat: -33.5, lng: -70.5 }],
  ['a name and a position', 'Da Enzo\n41.8884, 12.4775', { name: 'Da Enzo', lat: 41.8884, lng: 12.4775 }],
  [
    'lines of a share',
    'Da Enzo\nVia dei Vascellari 29\nRoma',
    { name: 'Da Enzo', address: 'Via dei Vascellari 29, Roma' },
  ],
  [
    'a share of Android',
    'Trattoria Da Enzo\n+39 06 581 2260\nhttps://maps.app.goo.gl/AbC123',
    {
      name: 'Trattoria Da Enzo',
      phone: '+39 06 581 2260',
      url: 'https://maps.app.goo.gl/AbC123',
      unresolved: true,
    },
  ],
  [
    'a share with title and text',
    'Trattoria Da Enzo\nTrattoria Da Enzo\nVia dei Vascellari 29\nhttps://maps.app.goo.gl/AbC123?g_st=ac',
    {
      name: 'Trattoria Da Enzo',
      address: 'Via dei Vascellari 29',
      url: 'https://maps.app.goo.gl/AbC123?g_st=ac',
      unresolved: true,
    },
  ],
  [
    'a link in a sentence',
    'Go here (https://maps.google.com/?q=1.5,2.5).',
    { lat: 1.5, lng: 2.5, url: 'https://maps.google.com/?q=1.5,2.5' },
  ],
  [
    'a link that knows the name',
    'Look!\nhttps://maps.apple.com/?ll=1.5,2.5&q=Enzo',
    { name: 'Enzo', lat: 1.5, lng: 2.5, url: 'https://maps.apple.com/?ll=1.5,2.5&q=Enzo' },
  ],
  [
    'a website',
    'Da Enzo https://daenzo.example/menu',
    { name: 'Da Enzo', website: 'https://daenzo.example/menu' },
  ],
  [
    'a page of Google that is no map',
    'https://sites.google.com/maps/enzo',
    { website: 'https://sites.google.com/maps/enzo' },
  ],
  [
    'a host that only looks like a map',
    'https://maps.google.com.evil.example/?q=1.5,2.5',
    { website: 'https://maps.google.com.evil.example/?q=1.5,2.5' },
  ],
  [
    'a link and a website',
    'Enzo https://enzo.example https://maps.app.goo.gl/AbC123',
    {
      name: 'Enzo',
      website: 'https://enzo.example',
      url: 'https://maps.app.goo.gl/AbC123',
      unresolved: true,
    },
  ],
  [
    'a card of an address book',
    'BEGIN:VCARD\nFN:Enzo\nADR;TYPE=WORK:;;Ufer 1;Neustadt;;00000;\nTEL;TYPE=work:+49000111\nGEO:geo:1.5,2.5\nEND:VCARD',
    { name: 'Enzo', address: 'Ufer 1, 00000 Neustadt', phone: '+49000111', lat: 1.5, lng: 2.5 },
  ],
  ['digits of another script', '٤٨٫١٠٠٠، ٩٫١٠٠٠', { lat: 48.1, lng: 9.1 }],
  ['degrees with a side', '33.86° S, 151.21° E', { lat: -33.86, lng: 151.21 }],
  [
    'a name that begins like a sentence',
    'Mira Mar https://enzo.example',
    {
      name: 'Mira Mar',
      website: 'https://enzo.example',
    },
  ],
  [
    'a sentence of an app',
    'Use Waze to drive to Enzo: https://waze.com/ul?ll=1.5,2.5',
    {
      ...{ name: 'Enzo', lat: 1.5, lng: 2.5 },
      url: 'https://waze.com/ul?ll=1.5,2.5',
    },
  ],
  [
    'a line with all',
    'Enzo – Ufer 1, Neustadt – Tel. 0000 111222 – https://enzo.example',
    { name: 'Enzo', address: 'Ufer 1, Neustadt', phone: '0000 111222', website: 'https://enzo.example' },
  ],
  [
    'a form',
    'Adresse: Ufer 1, Neustadt\nName: Enzo\nFax 0000 111223\nMail: a@enzo.example',
    { name: 'Enzo', address: 'Ufer 1, Neustadt' },
  ],
  [
    'a question',
    'Have you been to Enzo? https://enzo.example/?x=1&gclid=y',
    { website: 'https://enzo.example/?x=1' },
  ],
  ['an address in brackets', 'Enzo (Ufer 1, Neustadt)', { name: 'Enzo', address: 'Ufer 1, Neustadt' }],
  ['a name with a time', 'The 9:30 Bar', { name: 'The 9:30 Bar' }],
  ['words of a place', '///filled.count.soap', { name: '///filled.count.soap' }],
  ['blanks', ' \n\t ', {}],
  ['nothing', '', {}],
];
