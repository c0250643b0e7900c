/** Where a profile's token comes from: the secret itself, or a place to ask for it each time. */
export type TokenSource =
  | { readonly kind: 'stored'; readonly secret: string }
  | { readonly kind: 'env'; readonly variable: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'command'; readonly command: string };
