import { type BytesAnswer, askBytes } from './bytes.ts';
import type { Service } from './service.ts';

/** The address of the files of the web app, as its page names it. Throws when the page names none. */
export async function filesAddress({ url }: Pick<Service, 'url'>): Promise<string> {
  const { body } = await askBytes(`${url}/`);
  const base = /<html [^>]*data-base="([^"]+)"/.exec(body.toString())?.[1];
  if (base === undefined) throw new Error('the page names no address of its files');
  return `${url}${base}`;
}

/** The addresses that a page of the app loads from at once, as its head has them. */
export function addressesIn({ body }: Pick<BytesAnswer, 'body'>): string[] {
  const [head = ''] = body.toString().split('</head>', 1);
  return [...head.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address = '']) => address);
}
