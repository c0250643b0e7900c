declare module 'pgpass' {
  type Asked = Readonly<Record<'host' | 'database' | 'user', string>> & { readonly port: number };
  const pgpass: {
    (asked: Asked, resolve: (password: string | undefined) => void): void;
    warnTo(stream: NodeJS.WritableStream): void;
  };
  export = pgpass;
}
