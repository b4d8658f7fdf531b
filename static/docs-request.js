// The request that a form describes: what is sent, and what the code samples show.
import { JSON_TYPE } from './docs-dom.js';
import { accessToken } from './docs-session.js';

/** The request that the fields of an operation describe. A parameter of the path without a value stays `{name}`. */
export function readRequest({ method, path, takesToken, accept, opens, streams, isBinary }, fields) {
  const of = (place) =>
    fields.filter((field) => field.place === place).map(({ name, read }) => [name, read()]);
  const given = (place) => of(place).filter(([, value]) => value !== undefined && value !== '');
  const values = new Map(given('path'));
  const target = path.replace(/\{(\w+)\}/g, (part, name) => {
    const value = values.get(name);
    return value === undefined ? part : encodeURIComponent(value);
  });
  const query = new URLSearchParams(given('query')).toString().replaceAll('%2C', ',');
  const [, json = ''] = of('json')[0] ?? [];
  const has = (place) => fields.some((field) => field.place === place);
  return {
    method,
    takesToken,
    opens,
    streams,
    isBinary,
    url: location.origin + target + (query && `?${query}`),
    headers: {
      ...(accept && { Accept: accept }),
      ...(has('json') && { 'Content-Type': JSON_TYPE }),
      ...Object.fromEntries(given('header')),
    },
    json: json.trim() === '' ? undefined : json,
    form: has('form') ? given('form') : undefined,
  };
}

/** The headers of a request, with the token of the signed-in user where one is accepted. */
export function headersOf({ headers, takesToken }) {
  const token = takesToken ? accessToken() : undefined;
  return { ...headers, ...(token !== undefined && { Authorization: `Bearer ${token}` }) };
}
