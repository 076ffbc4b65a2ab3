//! The bundler takes style sheets as imports.
declare module "*.css";
