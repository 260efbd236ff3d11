//! What a state has that was refused where it is written: every trait of a state, so that nothing else is said of it.

/// One of the traits that `#[state]` adds, for a type of which no value is ever made.
#[doc(hidden)]
#[macro_export]
macro_rules! __pravah_refused_state {
    (Clone $state:ident) => {
        #[automatically_derived]
        impl ::core::clone::Clone for $state {
            fn clone(&self) -> Self {
                ::core::unreachable!()
            }
        }
    };
    (Debug $state:ident) => {
        #[automatically_derived]
        impl ::core::fmt::Debug for $state {
            fn fmt(&self, _: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::unreachable!()
            }
        }
    };
    (Serialize $state:ident) => {
        #[automatically_derived]
        impl $crate::__private::serde::Serialize for $state {
            fn serialize<S: $crate::__private::serde::Serializer>(
                &self,
                _: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                ::core::unreachable!()
            }
        }
    };
    (Deserialize $state:ident) => {
        #[automatically_derived]
        impl<'de> $crate::__private::serde::Deserialize<'de> for $state {
            fn deserialize<D: $crate::__private::serde::Deserializer<'de>>(
                _: D,
            ) -> ::core::result::Result<Self, D::Error> {
                ::core::unreachable!()
            }
        }
    };
    (JsonSchema $state:ident) => {
        #[automatically_derived]
        impl $crate::__private::schemars::JsonSchema for $state {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                ::core::unreachable!()
            }

            fn json_schema(
                _: &mut $crate::__private::schemars::SchemaGenerator,
            ) -> $crate::__private::schemars::Schema {
                ::core::unreachable!()
            }
        }
    };
}
