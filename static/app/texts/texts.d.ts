/** The service makes this module of the texts of one language. */
export declare const texts: typeof import('./en.json');
