//! The structs of a snapshot, and how they are written and read.

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error, Visitor},
    forward_to_deserialize_any,
    ser::SerializeMap,
};

use super::map::Map;

/// Five structs: a whole run with its head and its results, a frame, and what its nodes have done besides. Most
/// runs have no results yet, and most frames nothing besides. In JSON the fields of all five are in one object,
/// where a reader looks for `states`, and what is empty is left out. They are read into their places one by one:
/// serde's `flatten` cannot read raw JSON, and what it derives moves all of them several times.
///
/// Those of a head are required, or left out where the predicate holds that follows their type; those that change at each
/// step are required too, and entries of their own. Those of the other structs are sections, each an object of its own.
macro_rules! layout {
    (
        $head:ident { $($required:ident: $ty:ty,)+ }
        each_step { $($each_step:ident: $each_step_ty:ty,)+ }
        optional { $($(#[$doc:meta])* $optional:ident: $optional_ty:ty = $is_empty:path,)+ }
        $results:ident {
            $($(#[$result_doc:meta])* $result:ident: $result_key:ty => $result_value:ty,)+
        }
        $run:ident, $expected_run:literal
        $frame:ident, $expected_frame:literal { $($section:ident: $key:ty => $value:ty,)+ }
        $progress:ident { $($progress_section:ident: $progress_section_key:ty => $progress_section_value:ty,)+ }
    ) => {
        /// The names of the sections, for those who take them apart.
        #[expect(non_upper_case_globals, reason = "they are called what the fields are")]
        #[allow(dead_code, reason = "not every section is named")]
        pub(super) mod sections {
            $(pub(crate) const $result: &str = stringify!($result);)+
            $(pub(crate) const $section: &str = stringify!($section);)+
            $(pub(crate) const $progress_section: &str = stringify!($progress_section);)+
        }

        /// The fields of a head that change at each step, and have entries of their own.
        pub(super) const EACH_STEP: &[&str] = &[$(stringify!($each_step),)+];

        /// What is no section of a run.
        #[derive(Clone, Default)]
        pub(super) struct $head<'a> {
            $(pub(super) $required: $ty,)+
            $(pub(super) $each_step: $each_step_ty,)+
            $($(#[$doc])* pub(super) $optional: $optional_ty,)+
        }

        /// What the flow returned, what its models cost, the commands that wait, and what its nodes have kept.
        #[derive(Clone, Default)]
        pub(super) struct $results<'a> {
            $($(#[$result_doc])* pub(super) $result: Map<$result_key, $result_value>,)+
        }

        /// A whole run.
        #[derive(Clone, Default)]
        pub(super) struct $run<'a> {
            pub(super) head: $head<'a>,
            pub(super) results: Option<Box<$results<'a>>>,
            /// The flow itself.
            pub(super) frame: $frame<'a>,
        }

        /// A net being run: the flow itself, or an item of a list.
        #[derive(Clone, Default)]
        pub(super) struct $frame<'a> {
            $(pub(super) $section: Map<$key, $value>,)+
            pub(super) progress: Option<Box<$progress<'a>>>,
        }

        /// What the nodes of a frame have done, and what they wait for besides their states.
        #[derive(Clone, Default)]
        pub(super) struct $progress<'a> {
            $(pub(super) $progress_section: Map<$progress_section_key, $progress_section_value>,)+
        }

        impl serde::Serialize for $run<'_> {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap as _;

                let mut map = serializer.serialize_map(None)?;
                self.head.write_fields(&mut map)?;
                if let Some(results) = &self.results {
                    $(write_section(&mut map, stringify!($result), &results.$result)?;)+
                }
                self.frame.write_sections(&mut map)?;
                map.end()
            }
        }

        /// The entry of a head: it has no fields that are entries of their own.
        struct HeadEntry<'a>(&'a $head<'a>);

        impl serde::Serialize for HeadEntry<'_> {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap as _;

                let mut map = serializer.serialize_map(None)?;
                self.0.write_required(&mut map)?;
                self.0.write_optional(&mut map)?;
                map.end()
            }
        }

        impl $head<'_> {
            fn write_fields<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                self.write_required(map)?;
                $(map.serialize_entry(stringify!($each_step), &self.$each_step)?;)+
                self.write_optional(map)
            }

            fn write_required<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                $(map.serialize_entry(stringify!($required), &self.$required)?;)+
                Ok(())
            }

            fn write_optional<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                $(
                    if !$is_empty(&self.$optional) {
                        map.serialize_entry(stringify!($optional), &self.$optional)?;
                    }
                )+
                Ok(())
            }
        }

        impl serde::Serialize for $frame<'_> {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap as _;

                let mut map = serializer.serialize_map(None)?;
                self.write_sections(&mut map)?;
                map.end()
            }
        }

        impl $frame<'_> {
            fn write_sections<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                $(write_section(map, stringify!($section), &self.$section)?;)+
                if let Some(progress) = &self.progress {
                    $(write_section(map, stringify!($progress_section), &progress.$progress_section)?;)+
                }
                Ok(())
            }
        }

        impl $head<'_> {
            /// Collects the fields that differ from `before`. Where the head is put, all of them are: the stored head of an
            /// earlier version may still hold older values of them.
            fn collect_since(
                &self,
                before: Option<&Self>,
                collector: &mut Collector,
            ) -> Result<(), serde_json::Error> {
                let is_same = |before: &Self| {
                    true $(&& self.$required == before.$required)+
                        $(&& self.$optional == before.$optional)+
                };
                let before = before.filter(|before| is_same(before));
                if before.is_none() {
                    collector.put(&HeadEntry(self))?;
                }
                $(
                    if before.is_none_or(|before| self.$each_step != before.$each_step) {
                        collector.field(stringify!($each_step), &self.$each_step)?;
                    }
                )+
                Ok(())
            }
        }

        impl $run<'_> {
            /// Collects all, but of the head what is not as it was before.
            pub(super) fn collect_since(
                &self,
                head_before: Option<&$head<'_>>,
                collector: &mut Collector,
            ) -> Result<(), serde_json::Error> {
                self.head.collect_since(head_before, collector)?;
                if let Some(results) = &self.results {
                    $(collector.section(stringify!($result), &results.$result)?;)+
                }
                self.frame.collect(collector)
            }
        }

        impl Entry for $frame<'_> {
            fn collect(&self, collector: &mut Collector) -> Result<(), serde_json::Error> {
                $(collector.section(stringify!($section), &self.$section)?;)+
                if let Some(progress) = &self.progress {
                    $(collector.section(stringify!($progress_section), &progress.$progress_section)?;)+
                }
                Ok(())
            }
        }

        impl<'a> $run<'a> {
            pub(super) fn read<'de, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Box<Self>, D::Error> {
                read_object!(
                    deserializer as Box<$run<'a>>, $expected_run,
                    run {
                        $($required: run.head.$required,)+
                        $($each_step: run.head.$each_step,)+
                        $($optional: run.head.$optional,)+
                        $($result: run.results.get_or_insert_default().$result,)+
                        $($section: run.frame.$section,)+
                        $($progress_section:
                            run.frame.progress.get_or_insert_default().$progress_section,)+
                    }
                    required { $($required,)+ $($each_step,)+ }
                )
            }
        }

        impl<'de, 'a> Deserialize<'de> for $frame<'a> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                read_object!(
                    deserializer as $frame<'a>, $expected_frame,
                    frame {
                        $($section: frame.$section,)+
                        $($progress_section:
                            frame.progress.get_or_insert_default().$progress_section,)+
                    }
                    required {}
                )
            }
        }
    };
}

/// Reads an object, each field into its place.
macro_rules! read_object {
    (
        $deserializer:ident as $value:ty, $expected:literal,
        $object:ident { $($field:ident: $place:expr,)+ }
        required { $($required:ident,)* }
    ) => {{
        #[expect(non_camel_case_types, reason = "they are called what the fields are")]
        #[derive(Clone, Copy, serde::Deserialize)]
        #[serde(field_identifier)]
        enum Field { $($field,)+ }

        const FIELDS: &[&str] = &[$(stringify!($field),)+];
        const { assert!(FIELDS.len() <= Seen::MAX_FIELDS) };

        struct Reader<'a>(std::marker::PhantomData<$value>);

        impl<'de, 'a> Visitor<'de> for Reader<'a> {
            type Value = $value;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($expected)
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Self::Value, A::Error> {
                let mut $object = Self::Value::default();
                let mut seen = Seen::new(FIELDS);
                while let Some(FieldName(field)) = map.next_key()? {
                    seen.add(field as usize)?;
                    match field {
                        $(Field::$field => $place = map.next_value()?,)+
                    }
                }
                $(seen.require(Field::$required as usize)?;)*
                Ok($object)
            }
        }

        $deserializer.deserialize_map(Reader(std::marker::PhantomData))
    }};
}

pub(super) use {layout, read_object};

/// The name of a field, read without a look at whether it is UTF-8: it is one of those that are known, or refused.
pub(super) struct FieldName<F>(pub(super) F);

impl<'de, F: Deserialize<'de>> Deserialize<'de> for FieldName<F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        F::deserialize(InBytes(deserializer)).map(Self)
    }
}

/// Gives names as bytes.
struct InBytes<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for InBytes<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_bytes(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Writes a section, unless it is empty.
pub(super) fn write_section<M: SerializeMap, K: Serialize, V: Serialize>(
    map: &mut M,
    name: &'static str,
    section: &Map<K, V>,
) -> Result<(), M::Error> {
    match section.is_empty() {
        true => Ok(()),
        false => map.serialize_entry(name, section),
    }
}

/// Which fields of an object were read.
pub(super) struct Seen {
    names: &'static [&'static str],
    /// A bit for each of them.
    bits: u64,
}

impl Seen {
    /// How many fields an object may have.
    pub(super) const MAX_FIELDS: usize = u64::BITS as usize;

    pub(super) fn new(names: &'static [&'static str]) -> Self {
        Self { names, bits: 0 }
    }

    /// Fails where the field was read before.
    #[inline]
    pub(super) fn add<E: Error>(&mut self, field: usize) -> Result<(), E> {
        let before = self.bits;
        self.bits |= 1 << field;
        match self.bits == before {
            true => Err(E::duplicate_field(self.name(field))),
            false => Ok(()),
        }
    }

    /// Fails where the field is missing.
    #[inline]
    pub(super) fn require<E: Error>(&self, field: usize) -> Result<(), E> {
        match self.bits & (1 << field) {
            0 => Err(E::missing_field(self.name(field))),
            _ => Ok(()),
        }
    }

    fn name(&self, field: usize) -> &'static str {
        self.names.get(field).copied().unwrap_or_default()
    }
}
