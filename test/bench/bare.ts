import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

// The least that node:http does: the same body for every request. Arguments: port, file of the body.

const [, , port = '', file = ''] = process.argv;
const body = readFileSync(file);
const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length };

createServer((_, response) => {
  response.writeHead(200, headers);
  response.end(body);
}).listen(Number(port), '127.0.0.1');
