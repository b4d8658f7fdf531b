import { type Description, describeDocument } from './description.ts';

const text = { type: 'string', description: 'A text.' };
const requestId = { required: true, schema: { type: 'string', pattern: '^[a-z0-9-]+$' } };
const headers = { 'X-Request-Id': requestId };

/** A small description of dishes that has one of each thing a checker must tell apart. */
export function madeUpDescription(): Description {
  return describeDocument({
    paths: {
      '/dishes': {
        post: {
          operationId: 'createDish',
          responses: {
            201: {
              headers: {
                ...headers,
                Location: { required: true, schema: { ...text, format: 'uri-reference' } },
              },
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Dish' } } },
            },
          },
        },
        get: {
          operationId: 'listDishes',
          responses: {
            200: {
              headers,
              content: {
                'application/json': {
                  schema: { type: 'array', items: { $ref: '#/components/schemas/Dish' } },
                },
                'text/plain': { schema: { ...text, maxLength: 5 } },
                'image/png': {},
              },
            },
          },
        },
      },
      '/dishes/{id}': {
        get: {
          operationId: 'getDish',
          responses: {
            200: { $ref: '#/components/responses/Dish' },
            404: { $ref: '#/components/responses/Error' },
          },
        },
        delete: { operationId: 'deleteDish', responses: { 204: { headers }, 302: { headers } } },
      },
      '/dishes/best': {
        get: {
          operationId: 'getBestDish',
          responses: { 200: { headers: { ...headers, Votes: { schema: { type: 'integer', minimum: 1 } } } } },
        },
      },
    },
    components: {
      responses: {
        Dish: {
          headers,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/CookedDish' } } },
        },
        Error: {
          headers,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      },
      schemas: {
        Error: { type: 'object', required: ['error'], properties: { error: text } },
        Dish: {
          type: 'object',
          required: ['id', 'name', 'tags'],
          properties: {
            id: { type: 'integer', minimum: 1 },
            name: text,
            tags: { type: 'array', items: { type: 'object', required: ['tag'], properties: { tag: text } } },
            price: { type: 'number' },
          },
        },
        CookedDish: {
          allOf: [
            { $ref: '#/components/schemas/Dish' },
            {
              type: 'object',
              required: ['cooked_at', 'cook'],
              properties: {
                cooked_at: { ...text, format: 'date-time' },
                cook: { oneOf: [{ $ref: '#/components/schemas/Cook' }, { type: 'null' }] },
              },
            },
          ],
        },
        Cook: { type: 'object', required: ['email'], properties: { email: { ...text, format: 'email' } } },
      },
    },
  });
}
