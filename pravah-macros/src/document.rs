//! `flow_yaml!`: a document that is checked while the crate that has it is compiled.

use std::{cell::RefCell, collections::BTreeSet, path::Path};

use pravah_document::{Catalogue, FileError, Files, Folder, NodeType, Options, Problem, Problems};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{
    Ident, LitStr, Token, Visibility, bracketed,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
};

use crate::{crate_files, diag::Diagnostics, root};

/// `pub health = "flows/health.yaml", types = ["words.count"]`.
pub(crate) struct Embedded {
    visibility: Visibility,
    name: Ident,
    path: LitStr,
    /// The types of the host's own, of which the name is known here.
    types: Vec<LitStr>,
    /// Where the runtime is.
    pub(crate) root: Option<syn::Path>,
}

impl Parse for Embedded {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let visibility = input.parse()?;
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        let mut embedded = Self {
            visibility,
            name,
            path: input.parse()?,
            types: Vec::new(),
            root: None,
        };
        while input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
            embedded.option(input)?;
        }
        Ok(embedded)
    }
}

impl Embedded {
    fn option(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        if input.parse::<Option<Token![crate]>>()?.is_some() {
            input.parse::<Token![=]>()?;
            self.root = Some(input.parse()?);
            return Ok(());
        }
        let option: Ident = input.parse()?;
        if option != "types" {
            let help = "write `types = [\"my.type\"]` for types of your own, or `crate = path`";
            let message = format!("`flow_yaml!` has no option `{option}`\n  help: {help}");
            return Err(syn::Error::new(option.span(), message));
        }
        input.parse::<Token![=]>()?;
        let list;
        bracketed!(list in input);
        self.types
            .extend(Punctuated::<LitStr, Token![,]>::parse_terminated(&list)?);
        Ok(())
    }

    pub(crate) fn expand(&self, errors: &mut Diagnostics) -> TokenStream {
        let path = crate_files::locate(&self.path);
        let prompts = match std::fs::read(&path) {
            Ok(text) => self.check(&path, &text, errors),
            Err(error) => {
                let fact = format!("`{}` cannot be read: {error}", self.path.value());
                errors.error(self.path.span(), fact, crate_files::HELP);
                return self.function(&quote!(""), &[], &path);
            }
        };
        let shown = path.display().to_string();
        self.function(&quote!(::core::include_str!(#shown)), &prompts, &path)
    }

    /// Reports what is wrong with the document, and returns the prompts that it takes from files.
    fn check(&self, path: &Path, text: &[u8], errors: &mut Diagnostics) -> Vec<String> {
        let host = self.types.iter().map(LitStr::value);
        let host = host.map(|name| NodeType::new(name, "host", "A type of the host's."));
        let catalogue = host.fold(Catalogue::standard(), Catalogue::with);
        let files = Recorded::beside(path);
        let options = Options::new(&catalogue)
            .any_subflow()
            .model("host://default")
            .files(&files);
        let read = pravah_document::read_bytes(&self.path.value(), text, &options);
        if let Err(problems) = read {
            self.report(&problems, errors);
        }
        files.read.into_inner().into_iter().collect()
    }

    fn report(&self, problems: &Problems, errors: &mut Diagnostics) {
        for problem in problems.iter().filter(|it| !it.is_warning) {
            let Problem {
                message,
                line,
                column,
                ..
            } = problem;
            let label = problem.label.as_ref();
            let label = label.map_or_else(String::new, |label| format!(" ({label})"));
            let fact = format!("{}:{line}:{column}: {message}{label}", self.path.value());
            let span = self.path.span();
            match (&problem.help, problem.code) {
                (Some(help), _) => errors.error(span, fact, help),
                (None, "unknown-type") => errors.error(span, fact, OWN_TYPE),
                (None, _) => errors.plain(span, fact),
            }
        }
    }

    /// The function that makes the flow.
    fn function(&self, text: &TokenStream, prompts: &[String], path: &Path) -> TokenStream {
        let Self {
            visibility, name, ..
        } = self;
        let private = root::private_at(Span::call_site());
        let folder = path.parent().unwrap_or(Path::new(""));
        let prompts = prompts.iter().map(|prompt| {
            let file = folder.join(prompt).display().to_string();
            quote!((#prompt, ::core::include_str!(#file)))
        });
        let shown = self.path.value();
        let doc = format!("The flow of `{shown}`, made with the types of `registry`.");
        quote! {
            #[doc = #doc]
            #visibility fn #name(
                registry: &#private::NodeRegistry,
            ) -> ::core::result::Result<#private::DocumentFlow, #private::DocumentError> {
                #private::DocumentFlow::embedded(#shown, #text, &[#(#prompts),*], registry)
            }
        }
    }
}

/// What to do about a type that is in no standard pack.
const OWN_TYPE: &str = "a type of your own is named in the macro: `types = [\"my.type\"]`";

/// The files beside a document, and which of them it reads.
struct Recorded {
    folder: Folder,
    read: RefCell<BTreeSet<String>>,
}

impl Recorded {
    fn beside(path: &Path) -> Self {
        Self {
            folder: Folder::new(path.parent().unwrap_or(Path::new(""))),
            read: RefCell::default(),
        }
    }
}

impl Files for Recorded {
    fn read(&self, path: &str) -> Result<String, FileError> {
        let text = self.folder.read(path)?;
        self.read.borrow_mut().insert(path.to_owned());
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::Embedded;
    use crate::diag::Diagnostics;

    fn messages(input: &str) -> Vec<String> {
        let embedded: Embedded = syn::parse_str(input).unwrap();
        let mut errors = Diagnostics::default();
        embedded.expand(&mut errors);
        errors.shown()
    }

    #[test]
    fn a_document_that_is_in_order_is_a_function() {
        let found = messages(r#"pub greet = "tests/documents/greet.yaml""#);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn each_problem_is_an_error_with_its_place() {
        let found = messages(r#"broken = "tests/documents/broken.yaml""#);
        let expected = [
            "\"tests/documents/broken.yaml\": tests/documents/broken.yaml:3:24: \
             there is no node type `ecko`\n  help: did you mean `echo`?",
            "\"tests/documents/broken.yaml\": tests/documents/broken.yaml:4:28: \
             there is no node `goodbye`",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_file_that_is_not_there_is_one_error() {
        let found = messages(r#"lost = "tests/documents/lost.yaml""#);
        let [one] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert!(one.contains("cannot be read"), "{one}");
    }

    #[test]
    fn types_of_the_host_are_known_by_name() {
        let found = messages(r#"b = "tests/documents/host.yaml", types = ["words.count"]"#);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn an_option_that_there_is_not_is_refused() {
        let error = syn::parse_str::<Embedded>(r#"a = "b.yaml", kinds = []"#);
        let error = error.err().unwrap().to_string();
        assert!(error.contains("no option `kinds`"), "{error}");
    }
}
