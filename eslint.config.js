import eslint from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

// Names that a browser defines for every script, so that TypeScript does not notice a variable that was forgotten.
const AMBIENT = ['event', 'length', 'name', 'origin', 'parent', 'self', 'status', 'top'];

// What the page at /api/docs finds in a browser.
const BROWSER = [
  ...[
    'AbortController',
    'Blob',
    'BroadcastChannel',
    'File',
    'FormData',
    'ResizeObserver',
    'TextDecoderStream',
    'URL',
    'URLSearchParams',
    'addEventListener',
    'document',
    'fetch',
    'history',
  ],
  ...['location', 'navigator', 'performance', 'scrollTo', 'sessionStorage', 'localStorage', 'setTimeout'],
];

export default defineConfig(
  { ignores: ['dist/', '.build-*/', '.test-build/', '.runtime/', 'data/'] },
  eslint.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-non-null-assertion': 'error',
      'no-restricted-syntax': ['error', 'ExportDefaultDeclaration', 'ExportAllDeclaration'],
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['static/**/*.js'],
    languageOptions: {
      globals: Object.fromEntries(BROWSER.map((name) => [name, 'readonly'])),
    },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['static/app/**/*.ts'],
    rules: {
      // What a drawing function answers is its template, and an event handler may end with any expression.
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      '@typescript-eslint/no-confusing-void-expression': 'off',
      'no-restricted-globals': ['error', ...AMBIENT],
    },
  },
  {
    files: ['static/app/start/sw.ts'],
    languageOptions: { parserOptions: { projectService: false, project: 'static/tsconfig.worker.json' } },
    rules: { 'no-restricted-globals': ['error', ...AMBIENT.filter((name) => name !== 'self')] },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // node:test returns promises that the runner itself awaits.
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            {
              from: 'package',
              package: 'node:test',
              name: ['test', 'skip', 'describe', 'it', 'suite', 'before', 'after'],
            },
          ],
        },
      ],
      'no-console': 'off',
    },
  },
);
