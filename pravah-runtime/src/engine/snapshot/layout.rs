//! The structs of a snapshot, and how they are written and read.

use serde::de::Error;

/// Three structs: a whole run, a frame, and what its nodes have done besides, which most frames have nothing
/// of. In JSON the fields of all three are in one object, where a reader looks for `states`, and what is
/// empty is left out. They are read into their places one by one: serde's `flatten` cannot read raw JSON, and
/// what it derives moves all of them several times.
macro_rules! layout {
    (
        $run:ident, $expected_run:literal { $($field:ident: $ty:ty,)+ }
        unless { $($(#[$doc:meta])* $option:ident: $option_ty:ty = $is_empty:path,)+ }
        $frame:ident, $expected_frame:literal { $($part:ident: $key:ty => $value:ty,)+ }
        $progress:ident { $($rare:ident: $rare_key:ty => $rare_value:ty,)+ }
    ) => {
        /// A whole run.
        #[derive(Clone, Default)]
        pub(super) struct $run<'a> {
            $(pub(super) $field: $ty,)+
            $($(#[$doc])* pub(super) $option: $option_ty,)+
            /// The flow itself.
            pub(super) frame: $frame<'a>,
        }

        /// A net being run: the flow itself, or an item of a list.
        #[derive(Clone, Default)]
        pub(super) struct $frame<'a> {
            $(pub(super) $part: Map<$key, $value>,)+
            pub(super) progress: Option<Box<$progress<'a>>>,
        }

        /// What the nodes of a frame have done, and what they wait for besides their states.
        #[derive(Clone, Default)]
        pub(super) struct $progress<'a> {
            $(pub(super) $rare: Map<$rare_key, $rare_value>,)+
        }

        impl serde::Serialize for $run<'_> {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap as _;

                let mut map = serializer.serialize_map(None)?;
                $(map.serialize_entry(stringify!($field), &self.$field)?;)+
                $(
                    if !$is_empty(&self.$option) {
                        map.serialize_entry(stringify!($option), &self.$option)?;
                    }
                )+
                self.frame.write_sections(&mut map)?;
                map.end()
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
                $(
                    if !self.$part.is_empty() {
                        map.serialize_entry(stringify!($part), &self.$part)?;
                    }
                )+
                let Some(progress) = &self.progress else {
                    return Ok(());
                };
                $(
                    if !progress.$rare.is_empty() {
                        map.serialize_entry(stringify!($rare), &progress.$rare)?;
                    }
                )+
                Ok(())
            }
        }

        impl Entry for $frame<'_> {
            fn collect(&self, collector: &mut Collector) -> Result<(), serde_json::Error> {
                $(collector.section(stringify!($part), &self.$part)?;)+
                if let Some(progress) = &self.progress {
                    $(collector.section(stringify!($rare), &progress.$rare)?;)+
                }
                Ok(())
            }
        }

        impl<'a> $run<'a> {
            pub(super) fn read<'de, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Box<Self>, D::Error> {
                #[expect(non_camel_case_types, reason = "they are called what the fields are")]
                #[derive(Clone, Copy, serde::Deserialize)]
                #[serde(field_identifier)]
                enum Field { $($field,)+ $($option,)+ $($part,)+ $($rare,)+ }

                const FIELDS: &[&str] = &[
                    $(stringify!($field),)+
                    $(stringify!($option),)+
                    $(stringify!($part),)+
                    $(stringify!($rare),)+
                ];

                struct Reader<'a>(std::marker::PhantomData<$run<'a>>);

                impl<'de, 'a> Visitor<'de> for Reader<'a> {
                    type Value = Box<$run<'a>>;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($expected_run)
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(
                        self,
                        mut map: A,
                    ) -> Result<Self::Value, A::Error> {
                        let mut run = Self::Value::default();
                        let mut seen = Seen::new(FIELDS);
                        while let Some(field) = map.next_key()? {
                            seen.add(field as usize)?;
                            match field {
                                $(Field::$field => run.$field = map.next_value()?,)+
                                $(Field::$option => run.$option = map.next_value()?,)+
                                $(Field::$part => run.frame.$part = map.next_value()?,)+
                                $(Field::$rare => {
                                    let progress = run.frame.progress.get_or_insert_default();
                                    progress.$rare = map.next_value()?;
                                })+
                            }
                        }
                        $(seen.require(Field::$field as usize)?;)+
                        Ok(run)
                    }
                }

                deserializer.deserialize_map(Reader(std::marker::PhantomData))
            }
        }

        impl<'de, 'a> Deserialize<'de> for $frame<'a> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                #[expect(non_camel_case_types, reason = "they are called what the fields are")]
                #[derive(Clone, Copy, serde::Deserialize)]
                #[serde(field_identifier)]
                enum Field { $($part,)+ $($rare,)+ }

                const FIELDS: &[&str] = &[$(stringify!($part),)+ $(stringify!($rare),)+];

                struct Reader<'a>(std::marker::PhantomData<$frame<'a>>);

                impl<'de, 'a> Visitor<'de> for Reader<'a> {
                    type Value = $frame<'a>;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($expected_frame)
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(
                        self,
                        mut map: A,
                    ) -> Result<Self::Value, A::Error> {
                        let mut frame = Self::Value::default();
                        let mut seen = Seen::new(FIELDS);
                        while let Some(field) = map.next_key()? {
                            seen.add(field as usize)?;
                            match field {
                                $(Field::$part => frame.$part = map.next_value()?,)+
                                $(Field::$rare => {
                                    let progress = frame.progress.get_or_insert_default();
                                    progress.$rare = map.next_value()?;
                                })+
                            }
                        }
                        Ok(frame)
                    }
                }

                deserializer.deserialize_map(Reader(std::marker::PhantomData))
            }
        }
    };
}

pub(super) use layout;

/// Which fields of an object were read.
pub(super) struct Seen {
    names: &'static [&'static str],
    /// A bit for each of them.
    bits: u32,
}

impl Seen {
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
