import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mapIdentity } from '../../../src/catalogue/places/map-address.ts';

const G = 'https://www.google.com/maps';

describe('the identity of a place by its link', () => {
  for (const [first, ...others] of [
    [
      'google:161',
      `${G}/place/Kupferkessel/@48.1,9.1,17z/data=!4m2!3m1!1s0x11:0xa1!8m2!3d48.1!4d9.1`,
      `${G}/place/Another+name/data=!4m2!3m1!1s0x99%3A0xA1?entry=gps`,
      'https://maps.google.com/?q=Kupferkessel,+Ufer+1&ftid=0x11:0xa1',
      'https://maps.google.com/?cid=161',
      'http://maps.google.de/maps?hl=de&cid=161',
      'https://www.google.com/search?q=Kupferkessel&ludocid=161',
    ],
    [
      'google:ChIJabc_-9',
      `${G}/search/?api=1&query=Kupferkessel&query_place_id=ChIJabc_-9`,
      `${G}/place/?q=place_id:ChIJabc_-9`,
      'https://waze.com/ul?place=ChIJabc_-9&ll=48.1%2C9.1',
    ],
    ['osm:N5261', 'https://www.openstreetmap.org/node/5261#map=19/48.1/9.1', 'osm.org/go/0EEQjE--?node=5261'],
    [
      undefined,
      `${G}/place/Kupferkessel/@48.1,9.1,17z`,
      `${G}/place/Kupferkessel/data=!1s0x0:0x0`,
      'https://kupferkessel.example/?cid=161',
      'https://kupferkessel.example/node/5261',
      'https://maps.app.goo.gl/AbC',
      `${G}/d/viewer?mid=1&cid=161`,
      '',
    ],
  ] as const)
    test(`is ${first ?? 'missing where there is none'}`, () => {
      for (const link of others) assert.equal(mapIdentity(link), first, link);
    });
});
